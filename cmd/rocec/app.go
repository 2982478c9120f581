package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/validate"
)

// app is one run of the program: the person and the global flags. Verbs take it as their receiver's only state.
type app struct {
	*person
	ctx context.Context // of the verb: done when the person interrupts
	log *slog.Logger

	dir        string // -C; empty: not given
	vars       []string
	varFiles   []string
	allowed    []string // folders outside of the repository that modules may be in
	color      string
	quiet      bool
	verbose    bool
	logFormat  string
	maxObjects int
	budget     time.Duration
	unlocked   bool // fabric.lock is not read

	askSudo bool         // --ask-sudo-password
	sudo    *device.Sudo // the password, once it was asked for

	warned []string // what warnOnce has printed
}

func newRoot(p *person) *cobra.Command {
	a := &app{person: p}
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
				return a.printVersion("text")
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.ctx = cmd.Context()
			if touchesDevices(cmd) {
				p.ending.OnDevices()
			}
			return errors.Join(freshLab(cmd, args), a.prepare())
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", "", "the fabric's `folder`, for every verb; where a verb takes DIR, the same")
	f.StringArrayVar(&a.vars, "var", nil, "value of a variable, as `k=v`; repeatable")
	f.StringArrayVar(&a.varFiles, "var-file", nil, "`file` with values of variables; repeatable")
	f.StringArrayVar(&a.allowed, "allow-outside", nil, "`folder` outside of the fabric's repository that modules may be in; repeatable")
	f.StringVar(&a.color, "color", "auto", "colour: auto, always or never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print results only")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "print what is being done")
	f.StringVar(&a.logFormat, "log-format", "text", "logs on stderr: text or json")
	f.IntVar(&a.maxObjects, "max-objects", lang.DefaultMaxObjects, "most `names` a fabric may expand to")
	f.DurationVar(&a.budget, "budget", defaultBudget, "work the PFC-loop proof may take, as a `duration`: counted, 100 million steps a "+
		"second, so that verdicts are the same on every machine")
	f.StringVar(&a.dir, "chdir", "", "as some verbs called it")
	_ = f.MarkHidden("chdir") // fails where there is no such flag
	root.Flags().BoolVar(&askVersion, "version", false, "print which rocec this is")
	root.CompletionOptions.DisableDefaultCmd = true
	for _, g := range []struct {
		id, title string
		verbs     []*cobra.Command
	}{
		{"write", "Write", []*cobra.Command{a.initCommand(), a.lockSizesCommand(), a.fmtCommand(), a.lspCommand()}},
		{"judge", "Judge", []*cobra.Command{a.validateCommand(), a.explainCommand(), a.showCommand(), a.traceCommand(), a.graphCommand()}},
		{"change", "Change", []*cobra.Command{
			a.buildCommand(), a.planCommand(), a.applyCommand(), a.confirmCommand(), a.resumeCommand(), a.rollbackCommand(), a.runsCommand(),
			a.unlockCommand(), a.replaceCommand(), a.removeCommand(), a.labCommand(), a.selftestCommand(),
		}},
		{"watch", "Watch, and help", []*cobra.Command{
			a.verifyCommand(), a.gidsCommand(), a.completionCommand(root), a.versionCommand(),
			a.docsCommand(),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.id
			root.AddCommand(verb)
		}
	}
	root.SetHelpCommandGroupID("watch")
	offerCommon(root)
	root.SetFlagErrorFunc(wrongFlag)
	a.fitHelp(root)
	return root
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

// takes refuses fewer arguments than least and more than most, and says how the verb is written; cobra's own says but the number.
func takes(least, most int) cobra.PositionalArgs {
	return func(verb *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		_, want, _ := strings.Cut(verb.Use, " ")
		return exit.Fail(exit.Usage, "%s takes %s, not %s\nsee: %[1]s --help", verb.CommandPath(), want, diag.Count(len(args), "argument"))
	}
}

// fitHelp makes every line of help and usage fit the width.
func (a *app) fitHelp(root *cobra.Command) {
	width := a.width(a.stdout)
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

// defaultBudget is that of the validate package, as a duration.
const defaultBudget = validate.DefaultBudget / validate.StepsPerSecond * time.Second

// steps is the budget of the PFC-loop proof.
func (a *app) steps() *ir.Budget { return stepsIn(a.budget) }

// stepsIn returns the budget that a duration stands for.
func stepsIn(d time.Duration) *ir.Budget {
	return ir.NewBudget(int64(d / (time.Second / validate.StepsPerSecond)))
}

// prepare checks the global flags and sets up the log.
func (a *app) prepare() error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return exit.Fail(exit.Usage, "--color is auto, always or never, not %q", a.color)
	}
	if a.maxObjects < 1 {
		return exit.Fail(exit.Usage, "--max-objects is at least 1")
	}
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelInfo
	}
	if a.budget <= 0 {
		return exit.Fail(exit.Usage, "--budget is more than 0, such as 60s or 10m")
	}
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey { // two runs compare equal
			return slog.Attr{}
		}
		return at
	}}
	switch a.logFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(a.stderr, o))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.stderr, o))
	default:
		return exit.Fail(exit.Usage, "--log-format is text or json, not %q", a.logFormat)
	}
	return nil
}

// terminal returns the terminal behind a stream, if there is one.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// paints reports whether a stream gets colour: --color wins, then CLICOLOR_FORCE, then a terminal without NO_COLOR.
func (a *app) paints(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	if v := a.getenv("CLICOLOR_FORCE"); v != "" && v != "0" {
		return true
	}
	_, ok := terminal(w)
	return ok && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// width returns the columns text is wrapped at: those of the terminal, at most 100; else what COLUMNS says, else 80, so that what is
// piped reads as what is seen.
func (a *app) width(w io.Writer) int {
	const most, usual = 100, 80
	if fd, ok := terminal(w); ok {
		if cols, _, err := term.GetSize(fd); err == nil && cols > 0 {
			return min(cols, most)
		}
	}
	if cols, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && cols > 0 {
		return cols
	}
	return usual
}

// choice checks the value of a flag that takes one of a few words.
func choice(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return exit.Fail(exit.Usage, "--%s is %s, not %q", flag, diag.Or(words), value)
}
