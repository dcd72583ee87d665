"""The interleaved race: all libraries in one process, in short shuffled slices."""
