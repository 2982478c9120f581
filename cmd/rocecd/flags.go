package main

import (
	"cmp"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// place holds the flags that name the folders of a process, and its hub.
type place struct {
	state              string
	site, key, signers string
	listen             string
	hub, nats          string
	creds, ca          string
	lab                session.LabFlag
}

// statePlace is the variable of systemd with the folder of StateDirectory=.
const statePlace = "STATE_DIRECTORY"

func stateFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "state", "", "`folder` with keys, messages and the store (default: $"+statePlace+", or rocecd below "+
		"~/.local/state/rocec)")
}

func (o *place) flags(cmd *cobra.Command) {
	stateFlag(cmd, &o.state)
	f := cmd.Flags()
	f.StringVar(&o.site, "site", "", "`name` of the site of this process (default: the only site of the fabric)")
	f.StringVar(&o.key, "key", "", "`file` with the SSH key of the site (default: $"+session.KeyVariable+", or the key that rocecd keys "+
		"site made)")
	f.StringVar(&o.signers, "signers", "", "`file` with the allowed signers of the site (default: the one of its policy)")
	f.StringVar(&o.listen, "listen", "127.0.0.1:4222", "`address` of the hub in this process, for sites and persons")
	f.StringVar(&o.hub, "hub", "", "`url` of the hub, such as tls://hub.example.net:4222: this process is a site alone")
	f.StringVar(&o.nats, "nats", "", "`url` of an existing NATS server or cluster, which this process uses and does not run")
	f.StringVar(&o.creds, "creds", "", "`file` with the credentials for --hub or --nats, from rocecd keys")
	f.StringVar(&o.ca, "ca", "", "`file` with the certificate that signs the one of the hub (default: those of the system)")
}

// embeds reports whether the hub is in the process of rocecd serve.
func (o *place) embeds() bool { return o.hub == "" && o.nats == "" }

// check refuses flags that do not fit together, and finds the state.
func (o *place) check(p *person.Person) error {
	switch {
	case o.hub != "" && o.nats != "":
		return exit.Fail(exit.Usage, "--hub and --nats exclude each other")
	case !o.embeds() && o.creds == "":
		return exit.Fail(exit.Usage, "--hub and --nats need --creds: rocecd keys makes them on the hub")
	case o.embeds() && (o.creds != "" || o.ca != ""):
		return exit.Fail(exit.Usage, "--creds and --ca are for --hub and --nats")
	case o.hub != "" && o.site == "":
		return exit.Fail(exit.Usage, "--hub needs --site: the credentials are of one site")
	}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return exit.Fail(exit.Usage, "--listen is HOST:PORT: %s", err)
	}
	return findState(p, &o.state)
}

// findState makes the state an absolute path.
func findState(p *person.Person, state *string) (err error) {
	if *state = cmp.Or(*state, p.Getenv(statePlace)); *state == "" {
		if *state, err = p.StateDir("rocecd"); err != nil {
			return exit.Fail(exit.Usage, "--state names no folder: %s", err)
		}
	}
	*state, err = filepath.Abs(*state)
	return machine(err)
}

// ringDir returns the folder of the keys of a hub.
func ringDir(state string) string { return filepath.Join(state, "keys") }

func openRing(state string) (*keys.Ring, error) {
	r, err := keys.Open(ringDir(state), time.Now)
	return r, machine(err)
}

// flagRows returns the flags of a verb, each with its text.
func flagRows(cmd *cobra.Command) (heads, texts []string, column int) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		head := "--" + f.Name
		if value != "" {
			head += " " + value
		}
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
			text += " (default " + f.DefValue + ")"
		}
		heads, texts, column = append(heads, head), append(texts, text), max(column, len(head))
	})
	return heads, texts, column
}
