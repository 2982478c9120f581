package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// tableOrder makes cobra list verbs in the order of the tables, instead of by name.
var tableOrder = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

func newRoot(a *app) *cobra.Command {
	tableOrder()
	askVersion := false
	root := &cobra.Command{
		Use:   "rocec",
		Short: "a compiler for lossless RoCE fabrics",
		Long: "rocec compiles a lossless RoCE fabric, described in HCL, into configuration of switches and hosts, proves before anything is\n" +
			"pushed that it cannot freeze or drop under load, and pushes it over SSH.",
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if askVersion {
				return printVersion(a.Person, "text")
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.Ctx = cmd.Context()
			cmd.Flags().Visit(func(f *pflag.Flag) { a.Changed = append(a.Changed, "--"+f.Name) })
			tellFormerFlags(a.Person, cmd)
			if touchesDevices(cmd) {
				a.Ending.OnDevices()
			}
			return errors.Join(freshLab(cmd, args), a.Prepare())
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.Dir, "dir", "C", "", "the fabric's `folder`, the same as the argument DIR")
	f.StringArrayVar(&a.Vars, "var", nil, "value of a variable, as `k=v`; repeatable")
	f.StringArrayVar(&a.VarFiles, "var-file", nil, "`file` with values of variables; repeatable")
	f.StringArrayVar(&a.Allowed, "allow-outside", nil, "`folder` outside of the fabric's repository that may contain modules; repeatable")
	f.StringArrayVar(&a.Site.Policies, "policy", nil, "`file` with a policy, beside the one of the site in "+rights.Folder+
		"/policy.hcl; repeatable")
	f.StringVar(&a.Site.Key, "sign-key", "", "`file` with the SSH key that signs plans and runs, as ssh-keygen -Y takes it (default: "+
		"$"+session.KeyVariable+")")
	f.Var(&a.Site.AuditLog, "audit-log", "`url` of a socket that gets the events of runs, too, such as syslog+tcp://HOST:601: see rights.md")
	f.StringVar(&a.Color, "color", "auto", "colour: auto, always or never")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print results only")
	f.BoolVarP(&a.Verbose, "verbose", "v", false, "print each step")
	f.StringVar(&a.LogFormat, "log-format", "text", "logs on stderr: text or json")
	f.IntVar(&a.MaxObjects, "max-objects", lang.DefaultMaxObjects, "maximum number of `names` to which a fabric may expand")
	f.DurationVar(&a.Budget, "budget", globals.DefaultBudget, "work limit of the PFC-loop proof, as a `duration`; rocec counts 100 million "+
		"steps as "+
		"a second, so verdicts are the same on every machine")
	f.StringVar(&a.Dir, "chdir", "", "as some verbs called it")
	_ = f.MarkHidden("chdir") // fails if there is no such flag
	root.Flags().BoolVar(&askVersion, "version", false, "print the version and build of rocec")
	root.CompletionOptions.DisableDefaultCmd = true
	addVerbs(a, root)
	addFormerVerbs(a.Person, root)
	root.SetHelpCommand(&cobra.Command{Use: "__help", GroupID: "help", Hidden: true}) // else cobra adds its own
	offerCommon(root)
	a.Site.Folder, a.Site.Flags = rights.Folder, flagsOfChanges(root)
	root.SetFlagErrorFunc(wrongFlag)
	fitHelp(a.Person, root)
	return root
}

// addVerbs adds the verbs in their groups.
func addVerbs(a *app, root *cobra.Command) {
	type list = []*cobra.Command
	for _, g := range []struct {
		id, title string
		verbs     list
	}{
		{"describe", "Describe", list{initCommand(a), fmtCommand(a), buildCommand(a)}},
		{"judge", "Judge", list{
			validateCommand(a), auditCommand(a), diffCommand(a), showCommand(a), traceCommand(a), graphCommand(a), whatifCommand(a),
		}},
		{"network", "The network that is there", list{collectCommand(a), verifyCommand(a), stormCommand(a)}},
		{"change", "Change", list{
			planCommand(a), approveCommand(a), gateCommand(a), applyCommand(a), confirmCommand(a), resumeCommand(a), rollbackCommand(a),
			runsCommand(a),
		}},
		{"help", "Rehearse and help", list{
			labCommand(a), selftestCommand(a), explainCommand(a), lspCommand(a), helpCommand(a), completionCommand(a, root), versionCommand(a),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.id
			addFormerFlags(verb)
			root.AddCommand(verb)
		}
	}
}

// flagsOfChanges returns the flags of verbs that reach devices, with their dashes: a policy may forbid them.
func flagsOfChanges(root *cobra.Command) (names []string) {
	for _, verb := range root.Commands() {
		if touchesDevices(verb) {
			verb.LocalFlags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fitHelp sets help and usage functions whose lines fit the width.
func fitHelp(p *person.Person, root *cobra.Command) {
	width := p.Width(p.Stdout)
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		printUsage(cmd.OutOrStderr(), cmd, width)
		return nil
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		w := view.NewFitWriter(cmd.OutOrStdout(), width)
		prose := &diag.Printer{Width: width}
		for text := range strings.SplitSeq(cmp.Or(cmd.Long, cmd.Short), "\n\n") {
			if strings.HasPrefix(text, " ") || strings.Contains(text, "\n ") { // set in columns
				fmt.Fprintf(w, "%s\n\n", text)
				continue
			}
			prose.Prose(w, "", strings.ReplaceAll(text, "\n", " ")) //nolint:errcheck // a closed terminal has nobody to tell
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, cmd.UsageString())
	})
}

// printUsage prints the usage of a verb. A template of cobra would need text/template, which calls methods by name: then the linker keeps
// every method of every type, which is a quarter of the program.
func printUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	verbs := shownVerbs(cmd)
	if len(verbs) > 0 {
		fmt.Fprintf(w, "  %s VERB\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	list := func(title, group string) {
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, verb := range verbs {
			if verb.GroupID == group {
				fmt.Fprintf(w, "  %-*s %s\n", verb.NamePadding(), verb.Name(), verb.Short)
			}
		}
	}
	switch {
	case len(cmd.Groups()) > 0:
		for _, g := range cmd.Groups() {
			list(g.Title, g.ID)
		}
	case len(verbs) > 0:
		list("Verbs", "")
	}
	few := fewOf(cmd)
	switch {
	case few != nil:
		printFlags(w, "Flags", some(cmd.LocalFlags(), few), width)
		fmt.Fprint(w, "\nAll flags of the verbs that change devices: rocec help change")
	case cmd.HasParent():
		printFlags(w, "Flags", cmd.LocalFlags(), width)
	default:
		fmt.Fprint(w, "\nThe help of a verb, or a page of the manual: rocec help NAME")
	}
	fmt.Fprintln(w, "\nFlags of every verb: rocec help flags")
	if name := cmd.Name(); docs.Find(name) != nil {
		fmt.Fprintln(w, "More in the manual: "+pageCommand(name+".md"))
	}
}

// wrongFlag names the flag that the person may have meant, and the help of the verb.
func wrongFlag(cmd *cobra.Command, err error) error {
	text := sayFlag(err)
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if name := oneDash(cmd.Flags(), unknown); name != "" {
			return &exit.Error{Status: exit.Usage, Message: "flags with a name have two dashes: --" + name}
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := diag.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			text += "." + diag.Meant("--"+near)
		}
	}
	help := diag.Rocec("--help")
	if path, ok := strings.CutPrefix(cmd.CommandPath(), cmd.Root().Name()+" "); ok {
		help = diag.Rocec("help " + path)
	}
	return &exit.Error{Status: exit.Usage, Message: text + "\nsee: " + help}
}

// sayFlag returns the message for a bad value of a flag, worded for the flag's type.
func sayFlag(err error) string {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	flag, value := "--"+bad.GetFlag().Name, bad.GetValue()
	switch kind := bad.GetFlag().Value.Type(); {
	case !strings.Contains(kind, "int") && !strings.Contains(kind, "float"):
		return err.Error()
	case digits().MatchString(value):
		return flag + " needs a smaller number than " + diag.Cut(value)
	default:
		return flag + " needs a number, not " + strconv.Quote(diag.Cut(value))
	}
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
