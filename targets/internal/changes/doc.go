// Package changes tests whole changes without the command line: a plan, an apply and a restore on simulated devices of every system.
package changes
