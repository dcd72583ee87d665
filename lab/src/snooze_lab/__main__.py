"""`python -m snooze_lab` is `snooze-lab`."""

from snooze_lab.cli import main

if __name__ == "__main__":
    main()
