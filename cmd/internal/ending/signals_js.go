package ending

import "os"

// stopSignals never come.
var stopSignals = []os.Signal{os.Interrupt}

// closes is of signals that JavaScript has not.
func closes(os.Signal) bool { return false }

// IgnoreBrokenPipes does nothing: JavaScript has no signals.
func IgnoreBrokenPipes() {}
