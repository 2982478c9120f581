package ending

import "os"

// stopSignals are none that ever come.
var stopSignals = []os.Signal{os.Interrupt}

// closes is of signals that JavaScript has not.
func closes(os.Signal) bool { return false }

// IgnoreBrokenPipes does nothing: JavaScript has no signals.
func IgnoreBrokenPipes() {}
