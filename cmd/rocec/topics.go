package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// topics are the texts that help prints, apart from verbs and pages.
var topics = []struct {
	name  string
	print func(*person.Person, *cobra.Command)
}{
	{"change", printChangeFlags},
	{"flags", printGlobalFlags},
	{"reference", printReference},
	{"sudoers", printSudoers},
}

func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// changeFlags are the flags of the verbs that change devices, by subject. Apply has all of them.
var changeFlags = []struct {
	title string
	flags []string
}{
	{"Which devices", []string{"target", "remove", "replace", "host-key", "pending", "adopt-derived", "plan"}},
	{"By which right", []string{"gate", "gates"}},
	{"Where", []string{"lab", "ask-sudo-password"}},
	{"With a team of sites", []string{"team", "creds", "ca", "detach"}},
	{"Questions and output", []string{"auto-approve", "message", "diff", "expand", "notes", "format"}},
	{"When a change is kept", []string{"confirm", "soak", "max-failures", "on-failure", "on-anomaly"}},
	{"In which order", []string{"parallel", "no-canary", "min-capacity", "max-dark", "not-after", "drain", "undrain", "hook-timeout"}},
	{"What you take responsibility for", []string{"assume-peer-ready", "skip-cabling-check", "accept-unverified", "alone"}},
}

// changeExample shows change flags at work.
const changeExample = `rocec apply --target leaf01 --confirm 10m -m "ticket 4711"`

// flagsExample shows global flags at work.
const flagsExample = `rocec -C examples/day-two --var racks=3 validate`

// fewFlags lists, for some verbs, the flags that their help shows. Their other flags are change flags.
var fewFlags = []struct {
	verb  string
	flags []string
}{
	{"plan", []string{
		"target", "lab", "out", "valid", "message", "diff", "expand", "notes", "adopt-derived", "format", "detailed-exitcode", "parallel",
		"timeout", "team", "sites", "hold-before", "within",
	}},
	{"apply", []string{"target", "auto-approve", "plan", "confirm", "lab", "message", "remove", "replace"}},
	{"confirm", []string{"target", "lab", "format", "team"}},
	{"resume", []string{"target", "lab", "format", "abandon", "run", "auto-approve", "team"}},
	{"rollback", []string{"target", "auto-approve", "confirm", "lab", "message", "team"}},
}

// fewOf returns the flags that the help of a verb shows; nil: all of its flags.
func fewOf(cmd *cobra.Command) []string {
	for _, few := range fewFlags {
		if cmd.CommandPath() == cmd.Root().Name()+" "+few.verb {
			return few.flags
		}
	}
	return nil
}

// some returns the flags of a set that names lists, in that order.
func some(set *pflag.FlagSet, names []string) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = false
	for _, name := range names {
		out.AddFlag(set.Lookup(name))
	}
	return out
}

// printFlags prints flags in two columns under a title, if there are any.
func printFlags(w io.Writer, title string, set *pflag.FlagSet, width int) {
	flags, heads, column := flagHelps(set), []string{}, 0
	for _, f := range flags {
		head := strings.TrimRight(f.name+" "+f.value, " ")
		if !strings.HasPrefix(head, "--") { // with its short form first
			head = "  " + head
		} else {
			head = "      " + head
		}
		heads, column = append(heads, head), max(column, len(head)+2)
	}
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	prose := &diag.Printer{Width: width}
	for i, f := range flags {
		prose.Prose(w, fmt.Sprintf("%-*s", column, heads[i]), f.text) //nolint:errcheck // a closed terminal has nobody to tell
	}
}

// printChangeFlags prints the flags of the verbs that change devices: all flags of apply, and for each other verb the ones that it has.
func printChangeFlags(p *person.Person, root *cobra.Command) {
	width := p.Width(p.Stdout)
	w := view.NewFitWriter(p.Stdout, width)
	apply := verbNamed(root, "apply").Flags()
	fmt.Fprintln(w, "The flags of the verbs that change devices. Apply has all of them.")
	for _, g := range changeFlags {
		printFlags(w, g.title, some(apply, g.flags), width)
	}
	for _, few := range fewFlags {
		if few.verb == "apply" {
			continue
		}
		var more []string
		verb := verbNamed(root, few.verb).Flags()
		for _, g := range changeFlags {
			for _, flag := range g.flags {
				if verb.Lookup(flag) != nil && !slices.Contains(few.flags, flag) {
					more = append(more, "--"+flag)
				}
			}
		}
		fmt.Fprintf(w, "\nIn addition to the flags in its help, %s has %s.\n", few.verb, diag.And(more))
	}
	fmt.Fprintf(w, "\nExample:\n  %s\n", changeExample)
}

// printGlobalFlags prints the flags of every verb.
func printGlobalFlags(p *person.Person, root *cobra.Command) {
	width := p.Width(p.Stdout)
	w := view.NewFitWriter(p.Stdout, width)
	fmt.Fprintln(w, "Every verb has these flags. Write them before or after its name.")
	printFlags(w, "Flags", root.PersistentFlags(), width)
	fmt.Fprintf(w, "\nExample:\n  %s\n", flagsExample)
}

// printReference prints the help of every verb, with the content of docs/reference.md.
func printReference(p *person.Person, root *cobra.Command) {
	for _, verb := range shownVerbs(root) {
		fmt.Fprintf(p.Stdout, "--- %s\n", verb.CommandPath())
		verb.Help() //nolint:errcheck // a closed terminal cannot show the error
	}
}

// verbNamed is a verb below a command; nil: no verb has the name.
func verbNamed(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}
