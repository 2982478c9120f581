// Package changes has tests of whole changes: a plan, an apply and the way back on simulated devices of every system, without a verb of
// the command.
package changes
