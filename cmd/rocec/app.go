package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
)

// app is one run of the program, as its verbs see it.
type app struct{ *session.Session }

func newApp(p *person.Person) *app {
	return &app{session.New(globals.New(p, buildOf(buildVersion())), device.Clock{Now: time.Now, Wait: time.After})}
}

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

// planView is a view of a plan on stdout; dir is the fabric's folder.
func (a *app) planView(dir string, o view.Options) *view.Plan {
	return view.NewPlan(a.Screen(), dir, o)
}
