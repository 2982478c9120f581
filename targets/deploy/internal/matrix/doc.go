// Package matrix tests the program rocec on real devices of package nspawn, with a fault at every command by which rocec changes a
// device. The fault hits the device or rocec. Three oracles judge each such cell:
//
//   - A device that was left alone until it undoes by itself holds the old content or the new one, in full, and uses it.
//   - The report of rocec on each device is true, and every device that it touched has a report.
//   - With `rocec resume` and `rocec resume --abandon`, and without a shell on the device, the next apply ends well and leaves nothing.
//
// A slice of the cells runs with every `go test`; with -whole all of them do, which takes hours, and -write FILE puts their
// counts into docs/reliability.md.
package matrix
