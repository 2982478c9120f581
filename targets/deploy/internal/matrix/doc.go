// Package matrix holds tests alone: rocec itself, the program, changes real devices of package nspawn while something bad happens to
// them or to it, at every command by which it changes a device. Three oracles judge each such cell:
//
//   - A device that was left alone until it undoes by itself holds the old content or the new one, in full, and uses it.
//   - What rocec said of the device when it ended is true, and it said something of every device it had touched.
//   - With `rocec resume` and `rocec resume --abandon`, and without a shell on the device, the next apply ends well and leaves nothing.
//
// A slice of the cells runs with every `go test`; with -whole all of them do, which takes hours, and -write FILE puts their
// counts into docs/reliability.md.
package matrix
