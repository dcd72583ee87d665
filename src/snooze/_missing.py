"""The error of an adapter whose package is missing or too old.

Separate because every module of `snooze.ext` and `snooze.adapters` raises it when it is
imported.
"""

from __future__ import annotations


def unusable(module: str, package: str, error: ImportError) -> ImportError:
    """Return the error for an adapter that cannot import its package.

    Args:
        module: The name of the adapter, such as ``snooze.ext.flask``.
        package: What pip calls the package.
        error: The error of the import.
    """
    if isinstance(error, ModuleNotFoundError):
        reason = f"needs the package {package}, which is not installed"
        remedy = f"pip install {package}"
    else:
        reason = f"cannot use the installed {package} ({error})"
        remedy = f"pip install --upgrade {package}"
    text = f"{module} {reason}: {remedy}"
    return ImportError(text, name=error.name, path=error.path)
