package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

// A former name is hidden. It works as the new one does, and prints it on stderr.

// formerUntil is the release that drops the former names.
const formerUntil = "0.2"

type formerFlag struct{ old, now string }

// formerFlags have the former names of flags, each with the new one.
var formerFlags = []formerFlag{
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
			_ = cmd.Flags().Set(name.now, old.Value.String()) // it was set by its former name
			tellFormer(p, "--"+name.old, "--"+name.now)
		}
	}
}

// tellFormer prints the new name beside the former one, which a person used.
func tellFormer(p *person.Person, old, now string) {
	fmt.Fprintf(p.Fitted(p.Stderr), "rocec: %s is now %s; the old name works until %s\n", old, now, formerUntil)
}

// formerVerb is a verb that another one has taken in.
type formerVerb struct {
	use  string // as its usage was
	most int    // arguments
	verb string // that has taken it in
	flag string // of that verb, by which it does the same
	each string // the flag of that verb that takes an argument; empty: it is an argument there
}

// formerVerbs are in the order of their names. The least number of arguments is of those without brackets in the usage.
var formerVerbs = []formerVerb{
	{"docs [PAGE]", 1, "help", "", ""},
	{"gids [HOST…]", math.MaxInt, "verify", "gids", "target"},
	{"lint [DIR]", 1, "validate", "", ""},
	{"lock-sizes [DIR]", 1, "build", "lock", ""},
	{"remove HOST...", math.MaxInt, "apply", "", "remove"},
	{"replace DEVICE", 1, "apply", "", "replace"},
	{"unlock [DEVICE…]", math.MaxInt, "resume", "abandon", ""},
}

// addFormerVerbs adds them to the verbs, which are there already.
func addFormerVerbs(p *person.Person, root *cobra.Command) {
	for _, v := range formerVerbs {
		root.AddCommand(v.command(p, verbNamed(root, v.verb)))
	}
}

// command is the verb by its former name. It has the flags of the verb that has taken it in, with their values.
func (v *formerVerb) command(p *person.Person, now *cobra.Command) *cobra.Command {
	least := 1
	if strings.Contains(v.use, "[") {
		least = 0
	}
	cmd := &cobra.Command{
		Use: v.use, Short: now.Short, Hidden: true, GroupID: now.GroupID, ValidArgsFunction: now.ValidArgsFunction,
		Args: takes(least, v.most),
		RunE: func(cmd *cobra.Command, args []string) error {
			if now.Name() == "help" && !cmd.Flags().Changed("man") {
				args = []string{pageOf(cmd.Root(), args)}
			}
			tellFormer(p, cmd.Name(), v.called(cmd.Flags(), args))
			if v.flag != "" {
				if err := cmd.Flags().Set(v.flag, "true"); err != nil {
					return err
				}
			}
			if v.each != "" {
				for _, arg := range args {
					if err := cmd.Flags().Set(v.each, arg); err != nil {
						return err
					}
				}
				args = nil
			}
			return now.RunE(cmd, args)
		},
	}
	cmd.Flags().AddFlagSet(now.Flags())
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		tellFormer(p, cmd.Name(), v.called(&pflag.FlagSet{}, nil))
		now.Help() //nolint:errcheck // it is printed, and returns none
	})
	return cmd
}

// pageOf is the name by which help finds the page that docs printed.
func pageOf(root *cobra.Command, args []string) string {
	switch {
	case len(args) == 0:
		return docs.Index
	case verbNamed(root, args[0]) != nil: // it wins
		return args[0] + ".md"
	}
	return args[0]
}

// called is how a person calls the verb now, with flags and arguments that were given.
func (v *formerVerb) called(flags *pflag.FlagSet, args []string) string {
	words := givenWords(flags)
	_, kind, _ := strings.Cut(v.use, " ")
	kind = strings.Trim(kind, "[]….")
	for _, arg := range args {
		word := diag.Arg(kind, arg)
		if kind == "DIR" {
			word = diag.Path(kind, arg)
		}
		if v.each != "" {
			word = diag.Flag("--"+v.each, word)
		}
		words = append(words, word)
	}
	if v.flag != "" {
		return diag.Rocec(v.verb+" --"+v.flag, words...)
	}
	return diag.Rocec(v.verb, words...)
}

// givenWords are the flags that a person gave, as words of a command, by their new names.
func givenWords(flags *pflag.FlagSet) (words []diag.Word) {
	add := func(f *pflag.Flag, value string) { words = append(words, flagWord(f, value)) }
	flags.Visit(func(f *pflag.Flag) {
		if slices.ContainsFunc(formerFlags, func(n formerFlag) bool { return n.old == f.Name }) {
			return // the new one is given, too
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, value := range list.GetSlice() {
				add(f, value)
			}
			return
		}
		add(f, f.Value.String())
	})
	return words
}

// flagWord is a flag with a value, as a word of a command.
func flagWord(f *pflag.Flag, value string) diag.Word {
	kind, _ := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	switch {
	case f.NoOptDefVal != "" && f.NoOptDefVal != value:
		name += "="
	case f.Shorthand != "":
		name = "-" + f.Shorthand
	}
	if f.NoOptDefVal != "" && f.NoOptDefVal == value {
		return diag.Flag(name)
	}
	return diag.Flag(name, diag.Arg(strings.ToUpper(kind), value))
}
