"""Entry point of `python -m snooze_lab`; the same as the command `snooze-lab`."""

from snooze_lab.cli import main

if __name__ == "__main__":
    main()
