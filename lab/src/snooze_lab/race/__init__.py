"""The interleaved race: libraries in one process, in short shuffled slices."""
