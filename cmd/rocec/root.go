package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

func newRoot(p *person.Person) *cobra.Command {
	a := newApp(p)
	askVersion := false
	root := &cobra.Command{
		Use:   "rocec",
		Short: "a compiler for lossless RoCE fabrics",
		Long: "rocec compiles a lossless RoCE fabric, described in HCL, into configuration of switches and hosts,\n" +
			"proves before anything is pushed that it cannot freeze or drop under load, and pushes it over SSH.",
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
			tellFormerFlags(p, cmd)
			if touchesDevices(cmd) {
				p.Ending.OnDevices()
			}
			return errors.Join(freshLab(cmd, args), a.Prepare())
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.Dir, "dir", "C", "", "the fabric's `folder`, for every verb; where a verb takes DIR, the same")
	f.StringArrayVar(&a.Vars, "var", nil, "value of a variable, as `k=v`; repeatable")
	f.StringArrayVar(&a.VarFiles, "var-file", nil, "`file` with values of variables; repeatable")
	f.StringArrayVar(&a.Allowed, "allow-outside", nil, "`folder` outside of the fabric's repository that modules may be in; repeatable")
	f.StringVar(&a.Color, "color", "auto", "colour: auto, always or never")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print results only")
	f.BoolVarP(&a.Verbose, "verbose", "v", false, "print what is being done")
	f.StringVar(&a.LogFormat, "log-format", "text", "logs on stderr: text or json")
	f.IntVar(&a.MaxObjects, "max-objects", lang.DefaultMaxObjects, "most `names` a fabric may expand to")
	f.DurationVar(&a.Budget, "budget", globals.DefaultBudget, "work the PFC-loop proof may take, as a `duration`: counted, 100 million steps "+
		"a second, so that verdicts are the same on every machine")
	f.StringVar(&a.Dir, "chdir", "", "as some verbs called it")
	_ = f.MarkHidden("chdir") // fails where there is no such flag
	root.Flags().BoolVar(&askVersion, "version", false, "print which rocec this is")
	root.CompletionOptions.DisableDefaultCmd = true
	for _, g := range []struct {
		id, title string
		verbs     []*cobra.Command
	}{
		{"write", "Write", []*cobra.Command{initCommand(a), lockSizesCommand(a), fmtCommand(a), lspCommand(a)}},
		{"judge", "Judge", []*cobra.Command{validateCommand(a), explainCommand(a), showCommand(a), traceCommand(a), graphCommand(a)}},
		{"change", "Change", []*cobra.Command{
			buildCommand(a), planCommand(a), applyCommand(a), confirmCommand(a), resumeCommand(a), rollbackCommand(a), runsCommand(a),
			unlockCommand(a), replaceCommand(a), removeCommand(a), labCommand(a), selftestCommand(a),
		}},
		{"watch", "Watch, and help", []*cobra.Command{
			verifyCommand(a), gidsCommand(a), completionCommand(a, root), versionCommand(a),
			docsCommand(a),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.id
			addFormerFlags(verb)
			root.AddCommand(verb)
		}
	}
	root.SetHelpCommandGroupID("watch")
	offerCommon(root)
	root.SetFlagErrorFunc(wrongFlag)
	fitHelp(a.Person, root)
	return root
}

// fitHelp makes every line of help and usage fit the width.
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

// printUsage prints how a verb is called. A template of cobra would bring text/template, which calls methods by name: then the linker keeps
// every method of every type, a quarter of the program.
func printUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprint(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprintf(w, "\n  %s", cmd.UseLine())
	}
	verbs := cmd.HasAvailableSubCommands()
	if verbs {
		fmt.Fprintf(w, "\n  %s [command]", cmd.CommandPath())
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "\n\nAliases:\n  %s", cmd.NameAndAliases())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\n\nExamples:\n%s", cmd.Example)
	}
	list := func(title, group string) {
		fmt.Fprintf(w, "\n\n%s", title)
		for _, verb := range cmd.Commands() {
			if verb.GroupID == group && (verb.IsAvailableCommand() || verb.Name() == "help") {
				fmt.Fprintf(w, "\n  %-*s %s", verb.NamePadding(), verb.Name(), verb.Short)
			}
		}
	}
	switch {
	case verbs && len(cmd.Groups()) == 0:
		list("Available Commands:", "")
	case verbs:
		for _, g := range cmd.Groups() {
			list(g.Title, g.ID)
		}
		if !cmd.AllChildCommandsHaveGroup() {
			list("Additional Commands:", "")
		}
	}
	flags := func(title string, set *pflag.FlagSet) {
		if set.HasAvailableFlags() {
			fmt.Fprintf(w, "\n\n%s:\n%s", title, strings.TrimRightFunc(set.FlagUsagesWrapped(width), unicode.IsSpace))
		}
	}
	flags("Flags", cmd.LocalFlags())
	flags("Global Flags", cmd.InheritedFlags())
	if verbs {
		fmt.Fprintf(w, "\n\nUse \"%s [command] --help\" for more information about a command.", cmd.CommandPath())
	}
	fmt.Fprintln(w)
}

// wrongFlag names the flag that the person may have meant, and the help of the verb.
func wrongFlag(cmd *cobra.Command, err error) error {
	text := sayFlag(err)
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
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

// sayFlag says what is wrong with the value of a flag, in the words of the flag's type.
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
		return flag + " takes a smaller number than " + diag.Cut(value)
	default:
		return flag + " takes a number, not " + strconv.Quote(diag.Cut(value))
	}
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
