// Package globals has the flags of every verb, [Globals], and loads the fabric that they name. It can replace files by texts of an
// editor. Messages show no text of files that a stranger may have chosen.
package globals

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

// Globals holds the flags that every verb has.
type Globals struct {
	*person.Person
	Ctx   context.Context // of the verb; it ends when the person interrupts
	Log   *slog.Logger
	Rocec Build

	Dir        string // -C; empty: not given
	Vars       []string
	VarFiles   []string
	Allowed    []string // folders outside of the repository that may contain modules
	Verbose    bool
	LogFormat  string
	MaxObjects int
	Budget     time.Duration
	Unlocked   bool // fabric.lock is not read

	Change func(*lang.Source) // changes every loaded fabric; nil: no change
}

// Build identifies the running rocec.
type Build struct {
	Version string // as `rocec version` prints it
	Release string // Version, if it is a release; empty: a build between releases
	Tool    string // recorded by runs on devices
}

// New returns the defaults of all flags.
func New(p *person.Person, b Build) *Globals {
	return &Globals{Person: p, Rocec: b, MaxObjects: lang.DefaultMaxObjects, Budget: DefaultBudget}
}

// DefaultBudget is validate.DefaultBudget as a duration.
const DefaultBudget = validate.DefaultBudget / validate.StepsPerSecond * time.Second

// Steps returns the budget of the PFC-loop proof.
func (g *Globals) Steps() *ir.Budget { return StepsIn(g.Budget) }

// StepsIn returns the budget in steps for a duration.
func StepsIn(d time.Duration) *ir.Budget {
	return ir.NewBudget(int64(d / (time.Second / validate.StepsPerSecond)))
}

// Prepare checks the global flags and sets up the log.
func (g *Globals) Prepare() error {
	switch g.Color {
	case "auto", "always", "never":
	default:
		return exit.Fail(exit.Usage, "--color is auto, always or never, not %q", g.Color)
	}
	if g.MaxObjects < 1 {
		return exit.Fail(exit.Usage, "--max-objects must be at least 1")
	}
	level := slog.LevelWarn
	if g.Verbose {
		level = slog.LevelInfo
	}
	if g.Budget <= 0 {
		return exit.Fail(exit.Usage, "--budget must be more than 0, such as 60s or 10m")
	}
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey { // so that logs of two runs compare equal
			return slog.Attr{}
		}
		return at
	}}
	switch g.LogFormat {
	case "text":
		g.Log = slog.New(slog.NewTextHandler(g.Stderr, o))
	case "json":
		g.Log = slog.New(slog.NewJSONHandler(g.Stderr, o))
	default:
		return exit.Fail(exit.Usage, "--log-format is text or json, not %q", g.LogFormat)
	}
	return nil
}

// Folder returns the fabric's folder: the argument DIR if given, else the folder of -C, else the current folder.
func (g *Globals) Folder(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return cmp.Or(g.Dir, "."), nil
	case g.Dir != "" && filepath.Clean(g.Dir) != filepath.Clean(args[0]):
		return "", exit.Fail(exit.Usage, "a fabric has one folder: %s, or -C %s. Leave out one of the two", args[0], g.Dir)
	}
	return args[0], nil
}

// Here returns the folder of -C, for completion, and for verbs whose arguments are not a folder.
func (g *Globals) Here() string { return cmp.Or(g.Dir, ".") }

// MentionErrors prints the number of errors of a fabric, and the command that shows them, for a verb that still shows settings.
func (g *Globals) MentionErrors(f *report.Report, shown string) {
	if f.Diags.HasErrors() {
		fmt.Fprintf(g.Stderr, "rocec: the fabric has %s; %s shows them\n", diag.Count(f.Diags.Count(diag.Error), "error"), shown)
	}
}
