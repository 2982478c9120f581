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

// A former name is hidden. It does the same as the new name, and prints the new name on stderr.

// formerUntil is the release that drops the former names.
const formerUntil = "0.2"

type formerFlag struct{ old, now string }

// formerFlags lists former names of flags, each with its new name.
var formerFlags = []formerFlag{
	{"accept-documented", "accept-unverified"},
	{"trust-by-hand", "assume-peer-ready"},
	{"trust-fabric", "skip-cabling-check"},
}

// addFormerFlags adds the former names of its flags to a verb. The former and the new name share a value.
func addFormerFlags(cmd *cobra.Command) {
	for _, name := range formerFlags {
		if now := cmd.Flags().Lookup(name.now); now != nil {
			old := *now
			old.Name, old.Hidden = name.old, true
			cmd.Flags().AddFlag(&old)
		}
	}
}

// tellFormerFlags prints the new name of each former flag that a person gave, and marks the new flag as given.
func tellFormerFlags(p *person.Person, cmd *cobra.Command) {
	for _, name := range formerFlags {
		if old := cmd.Flags().Lookup(name.old); old != nil && old.Changed {
			_ = cmd.Flags().Set(name.now, old.Value.String()) // the value was accepted under the former name
			tellFormer(p, "--"+name.old, "--"+name.now)
		}
	}
}

// tellFormer prints the former name that a person used, and the new name.
func tellFormer(p *person.Person, old, now string) {
	fmt.Fprintf(p.Fitted(p.Stderr), "rocec: %s is now %s; the old name works until %s\n", old, now, formerUntil)
}

// formerVerb is a former verb whose function is now in another verb.
type formerVerb struct {
	use  string // its former usage
	most int    // arguments
	verb string // the verb that replaces it
	flag string // the flag of that verb for the same function
	each string // the flag of that verb for each argument; empty: the arguments stay arguments
}

// formerVerbs is sorted by name. A verb whose usage has brackets needs no argument, any other needs one.
var formerVerbs = []formerVerb{
	{"docs [PAGE]", 1, "help", "", ""},
	{"gids [HOST…]", math.MaxInt, "verify", "gids", "target"},
	{"lint [DIR]", 1, "validate", "", ""},
	{"lock-sizes [DIR]", 1, "build", "lock", ""},
	{"remove HOST...", math.MaxInt, "apply", "", "remove"},
	{"replace DEVICE", 1, "apply", "", "replace"},
	{"unlock [DEVICE…]", math.MaxInt, "resume", "abandon", ""},
}

// addFormerVerbs adds the former verbs to root, which already has the new ones.
func addFormerVerbs(p *person.Person, root *cobra.Command) {
	for _, v := range formerVerbs {
		root.AddCommand(v.command(p, verbNamed(root, v.verb)))
	}
}

// command returns the verb under its former name. It shares the flags of the verb that replaces it, and their values.
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

// pageOf returns the name with which help finds the page that the former verb docs printed.
func pageOf(root *cobra.Command, args []string) string {
	switch {
	case len(args) == 0:
		return docs.Index
	case verbNamed(root, args[0]) != nil: // for help, the verb wins
		return args[0] + ".md"
	}
	return args[0]
}

// called returns the command that a person must write now, with the given flags and arguments.
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

// givenWords returns the flags that a person gave as words of a command, with their new names.
func givenWords(flags *pflag.FlagSet) (words []diag.Word) {
	add := func(f *pflag.Flag, value string) { words = append(words, flagWord(f, value)) }
	flags.Visit(func(f *pflag.Flag) {
		if slices.ContainsFunc(formerFlags, func(n formerFlag) bool { return n.old == f.Name }) {
			return // its new name is marked as given, too
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

// flagWord returns a flag with its value as a word of a command.
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
