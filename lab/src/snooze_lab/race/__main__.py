"""Entry point of `python -m snooze_lab.race`; the command line is in command.py."""

from snooze_lab.race.command import main

if __name__ == "__main__":
    main()
