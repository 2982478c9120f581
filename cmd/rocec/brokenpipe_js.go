package main

// ignoreBrokenPipes does nothing: JavaScript has no signals.
func ignoreBrokenPipes() {}
