package ending

import "os"

// stopSignals is empty.
var stopSignals = []os.Signal{os.Interrupt}

// closes returns false: JavaScript has no signals.
func closes(os.Signal) bool { return false }

// IgnoreBrokenPipes does nothing: JavaScript has no signals.
func IgnoreBrokenPipes() {}
