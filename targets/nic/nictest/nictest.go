// Package nictest contains a family of NICs for tests: the smallest family that can be written, rehearsed and verified beside another one.
// Its driver supports priorities with PFC, and its tool samplectl shows and sets them.
package nictest

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// Target writes the settings of sample NICs.
var Target = family.Target("PFC of sample NICs: a value file, a script and a systemd unit.", nil)

var driver = ir.NewDriver(ir.Driver{
	Name: "sample", Title: "Sample 1",
	Models: []*ir.NICModel{{Name: "sample-1", Title: "Sample 1", Speed: 100_000, Ports: 2, V2: true, Source: "made up"}},
})

var family = &nic.Family{
	Kit:    &steps.Kit{Driver: "sample", Suffix: "-sample", Script: func() []byte { return []byte(script) }},
	Driver: driver,
	Module: "sample_core",
	Rows:   func() []nic.Row { return rows },
	Probes: func(probes []target.Probe, s *nic.Settings) []target.Probe {
		return append(probes, nic.MTUProbe(s))
	},
	Sim:     func(ports []nic.Port) nic.Sim { return &NICs{ports: ports} },
	Modules: []string{"sample_core"},
}

var rows = []nic.Row{{
	Key: "pfc", Comment: "priorities with PFC, 0 to 7",
	Value: func(b []byte, s *nic.Settings) []byte {
		return nic.Eight(b, s, func(i int) int {
			if s.PFC[i] {
				return 1
			}
			return 0
		})
	},
	Why: nic.ByMember,
}}

const script = `#!/bin/sh
# rocec-host-sample: VERB IF, where VERB is apply, check or show.
set -uf
tool=/usr/sbin/samplectl
[ "$1" != show ] || exec "$tool" show "$2"
want=
while read -r line; do
	case $line in pfc=*) want=$line ;; esac
done <"/etc/rocec/host/$2.conf"
[ "$("$tool" show "$2")" != "$want" ] || exit 0
[ "$1" = apply ] || { echo "$2 is not $want" >&2; exit 1; }
"$tool" set "$2" "$want"
[ "$("$tool" show "$2")" = "$want" ]
`

// NICs are the sample NICs of a simulated host.
type NICs struct {
	ports []nic.Port
	state
}

// state contains the settings of the NICs that a reboot of the host resets.
type state struct {
	PFC    map[string]string // by interface: the output of samplectl
	Writes int
}

// Valid implements [target.State].
func (s *state) Valid() bool { return s.PFC != nil }

// Netdevs implements [nic.Sim].
func (s *NICs) Netdevs() []target.Netdev {
	var out []target.Netdev
	for _, p := range s.ports {
		out = append(out, p.Netdev)
	}
	return out
}

// Boot implements [target.Sim].
func (s *NICs) Boot(m target.Machine) {
	s.state = state{PFC: map[string]string{}}
	for _, p := range s.ports {
		s.state.PFC[p.Name] = "pfc=0,0,0,0,0,0,0,0"
	}
	m.Keep("sample", &s.state)
	m.Install("/usr/sbin/samplectl", func(p *target.Proc) (status int) {
		m.Do(func() { status = s.samplectl(p) })
		return status
	})
}

func (s *NICs) samplectl(p *target.Proc) int {
	args := p.Args[1:]
	if len(args) < 2 || s.state.PFC[args[1]] == "" {
		return p.Fail(1, "samplectl: no such NIC")
	}
	if args[0] == "set" {
		s.state.PFC[args[1]] = args[2]
		s.Writes++
		return 0
	}
	p.Print(s.state.PFC[args[1]] + "\n")
	return 0
}

// PFC returns the output of samplectl for an interface, and how often PFC was set: "pfc=0,0,0,1,0,0,0,0 after 1".
func (s *NICs) PFC(netdev string) string {
	return s.state.PFC[netdev] + " after " + strconv.Itoa(s.Writes)
}
