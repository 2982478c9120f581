// Package matrix tests the program rocec on real devices of package nspawn, with a fault at every command by which rocec changes a
// device. The fault hits the device or rocec. Three oracles judge each such cell:
//
//   - A device that rocec leaves alone until the device undoes the change by itself holds the old content or the new one, in full, and
//     uses it.
//   - The report of rocec on each device is true, and every device that it touched has a report.
//   - After `rocec resume` or `rocec resume --abandon`, the next apply ends well and leaves nothing of a run behind. Neither needs a shell
//     on the device.
//
// A slice of the cells runs with every `go test`; with -whole all cells run, which takes hours. `-write FILE` puts the counts of the cells
// into the tables of FILE, such as docs/reliability.md.
package matrix
