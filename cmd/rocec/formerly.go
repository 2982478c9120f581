package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/person"
)

// A former name is hidden. It works as the new one does, and prints it on stderr.

// formerUntil is the release that drops the former names.
const formerUntil = "0.2"

// formerFlags have the former names of flags, each with the new one.
var formerFlags = []struct{ old, now string }{
	{"accept-documented", "accept-unverified"},
	{"trust-by-hand", "assume-peer-ready"},
	{"trust-fabric", "skip-cabling-check"},
}

// addFormerFlags gives a verb the former names of its flags. A former name has the value of the new one.
func addFormerFlags(cmd *cobra.Command) {
	for _, name := range formerFlags {
		if now := cmd.Flags().Lookup(name.now); now != nil {
			old := *now
			old.Name, old.Hidden = name.old, true
			cmd.Flags().AddFlag(&old)
		}
	}
}

// tellFormerFlags prints the new name of each former flag that a person gave. From then on the new one is given.
func tellFormerFlags(p *person.Person, cmd *cobra.Command) {
	for _, name := range formerFlags {
		if old := cmd.Flags().Lookup(name.old); old != nil && old.Changed {
			cmd.Flags().Lookup(name.now).Changed = true
			tellFormer(p, "--"+name.old, "--"+name.now)
		}
	}
}

// tellFormer prints the new name of what a person called by its former one.
func tellFormer(p *person.Person, old, now string) {
	fmt.Fprintf(p.Fitted(p.Stderr), "rocec: %s is now %s; the old name works until %s\n", old, now, formerUntil)
}
