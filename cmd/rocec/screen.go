package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// screen is stdout for a view.
func (a *app) screen() *view.Screen {
	return view.NewScreen(a.stdout, a.width(a.stdout), a.paints(a.stdout))
}

// fitted writes to a stream in lines of its width.
func (a *app) fitted(to io.Writer) *view.FitWriter { return view.NewFitWriter(to, a.width(to)) }

// say prints a note on stderr.
func (a *app) say(format string, args ...any) {
	p := &diag.Printer{Width: a.width(a.stderr)}
	p.Prose(a.stderr, "note: ", fmt.Sprintf(format, args...)) //nolint:errcheck // a closed terminal has nobody to tell
}

// planView is a view of a plan on stdout; dir is the fabric's folder.
func (a *app) planView(dir string, o view.Options) *view.Plan {
	v := view.NewPlan(a.screen(), dir, o)
	v.Tool = tool()
	return v
}

// viewFlags adds the flags of every verb that shows a plan.
func viewFlags(cmd *cobra.Command, o *view.Options) {
	cmd.Flags().BoolVar(&o.Diff, "diff", false, "show whole-text diffs instead of keys")
	cmd.Flags().BoolVar(&o.Expand, "expand", false, "show every device on its own, also those with the same changes, and every key")
}
