def main() -> None:
    """Run the command line of the process, as ``json.tool`` does."""
