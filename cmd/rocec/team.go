package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/targets/deploy/device"
)

// teamOptions are the flags of the verbs of a team.
type teamOptions struct {
	team.Where
	on     bool // --team was given
	detach bool
	sites  []string
	holds  []string
	within time.Duration
	wave   string
}

// ownTeamFlags are the flags that have an effect with --team alone.
var ownTeamFlags = []string{"creds", "ca", "detach", "hold-before", "within", "sites", "wave"}

// teamFlag is the flag --team. Without a value it takes the address from the environment.
type teamFlag struct{ o *teamOptions }

// fromEnvironment is the value of --team without one.
const fromEnvironment = "$" + team.URLVariable

// String returns the address of the hub.
func (t teamFlag) String() string {
	if t.o == nil {
		return ""
	}
	return t.o.URL
}

// Type returns the placeholder of the value.
func (t teamFlag) Type() string { return "url" }

// Set turns --team on.
func (t teamFlag) Set(url string) error {
	if t.o.on = true; url != fromEnvironment {
		t.o.URL = url
	}
	return nil
}

// teamFlags adds the flags of every verb of a team.
func teamFlags(cmd *cobra.Command, o *teamOptions) {
	f := cmd.Flags()
	f.VarPF(teamFlag{o}, "team", "", "have the sites of a team do it; the `url` of its hub, such as tls://hub:4222 (default: $"+
		team.URLVariable+")").NoOptDefVal = fromEnvironment
	f.StringVar(&o.Creds, "creds", "", "with --team: `file` with your credentials for the hub (default: $"+team.CredsVariable+")")
	f.StringVar(&o.CA, "ca", "", "with --team: `file` with the certificate that signs the hub's (default: $"+team.CAVariable+")")
}

// followFlags adds the flags of a verb that follows a run of a team.
func followFlags(cmd *cobra.Command, o *teamOptions) {
	teamFlags(cmd, o)
	cmd.Flags().BoolVar(&o.detach, "detach", false, "with --team: do not follow the run; its sites do it without this machine")
}

// ofTeam does a verb of a team, if --team was given. allowed are the flags of the verb that have an effect there, too.
func ofTeam(a *app, cmd *cobra.Command, args []string, o *teamOptions, format string, do func(*team.Client) error, allowed ...string) (
	done bool, err error,
) {
	if !o.on {
		for _, name := range ownTeamFlags {
			if cmd.Flags().Changed(name) {
				return true, exit.Fail(exit.Usage, "--%s needs --team", name)
			}
		}
		return false, nil
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, "://") }); i >= 0 {
		return true, exit.Fail(exit.Usage, "the address of the hub is one word with its flag: --team=%s", args[i])
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		own := cmd.InheritedFlags().Lookup(f.Name) == nil && f.Name != "team" && !slices.Contains(ownTeamFlags, f.Name)
		if own && !slices.Contains(allowed, f.Name) && err == nil {
			err = exit.Fail(exit.Usage, "--team has the sites do the work, so --%s has no effect. Leave out one of the two", f.Name)
		}
	})
	if err != nil {
		return true, err
	}
	t, end, err := team.Open(a.Session, o.Where, format, device.Clock{Now: time.Now, Wait: time.After})
	if err != nil {
		return true, err
	}
	defer end()
	return true, do(t)
}

// saysOfTeam returns what tells the sites how a run goes on.
func saysOfTeam(cmd *cobra.Command, o *teamOptions, verb statement.Verb, run string, yes bool) func(*team.Client) error {
	return func(t *team.Client) error {
		return t.SayAbout(cmd.Context(), &team.SayOptions{Verb: verb, Run: run, Yes: yes, Detach: o.detach})
	}
}

// planFlagsOfTeam adds the flags of plan --team.
func planFlagsOfTeam(cmd *cobra.Command, o *teamOptions) {
	teamFlags(cmd, o)
	f := cmd.Flags()
	f.StringSliceVar(&o.sites, "sites", nil, "with --team: the order in which the `sites` work (default: that of their devices)")
	f.StringSliceVar(&o.holds, "hold-before", nil, "with --team: `waves` that begin after an approval alone, such as dc2/1: rocec approve "+
		"--team RUN --wave dc2/1")
	f.DurationVar(&o.within, "within", 0, "with --hold-before: the `duration` after the wave before, in which the approval has to come")
}

// runsFlagsOfTeam adds the flags of runs that read a ledger.
func runsFlagsOfTeam(cmd *cobra.Command, o *teamOptions, s *team.ShowOptions) {
	teamFlags(cmd, o)
	cmd.Flags().StringVar(&s.Follow, "follow", "", "print the events of a `run`, until it is over")
	cmd.Flags().StringVar(&s.Device, "device", "", "the runs that change this device, with its outcome, by `name`")
}
