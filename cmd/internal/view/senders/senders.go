// Package senders contains the answers of verify about the senders of hosts: whose packets are in the class of an intent.
package senders

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
)

// Of returns the answers about the senders of a host that was read; nil for other devices.
func Of(h *rollout.Health) []sender.Reach {
	d := h.Drift
	if len(h.Probes) == 0 || d.Device.Source == nil || d.Device.Target == nil || d.Device.Target.Sent == nil {
		return nil
	}
	state := func(path string) []byte {
		for i := range d.States {
			if d.States[i].Path == path {
				return d.States[i].Text
			}
		}
		return nil
	}
	facts := func(on string) (out [][2]string) {
		for i := range h.Probes {
			for _, s := range h.Probes[i].Samples {
				if s.On == on && s.Unit == target.UnitFact {
					out = append(out, [2]string{s.Name, s.Fact})
				}
			}
		}
		return out
	}
	return d.Device.Target.Sent(d.Device.Target, d.Device.Source, state, facts)
}

// Texts returns a text for each intent on NICs of a host.
func Texts(rest []sender.Reach) (out []string) {
	for len(rest) > 0 {
		first := rest[0]
		var one, others []sender.Reach
		for _, a := range rest {
			if a.Intent == first.Intent && slices.Equal(a.NICs, first.NICs) {
				one = append(one, a)
			} else {
				others = append(others, a)
			}
		}
		out, rest = append(out, text(one)), others
	}
	return out
}

// text describes the senders of an intent on some NICs, in full sentences.
func text(all []sender.Reach) string {
	titles := map[sender.State][]string{}
	var escapes, settings, pod []string
	unread := ""
	for i := range all {
		s := &all[i]
		titles[s.State] = append(titles[s.State], s.Sender.Title())
		if s.State == sender.Escapes {
			escapes = append(escapes, fmt.Sprintf("Not in the class: %s. %s", s.Sender.Title(), s.Detail))
		}
		if s.Sender == sender.CM && s.State == sender.Unknown {
			unread = " " + s.Detail
		}
		if s.State != sender.Holds && len(s.Settings) > 0 {
			settings, pod = s.Settings, append(pod[:0], s.Pod...)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s.", all[0].Intent, strings.Join(all[0].NICs, " "))
	if in := titles[sender.Holds]; len(in) > 0 {
		fmt.Fprintf(&b, " In the class: %s.", diag.And(in))
	}
	for _, one := range escapes {
		b.WriteString(" " + one)
	}
	if not := titles[sender.Unknown]; len(not) > 0 {
		fmt.Fprintf(&b, " Not known: %s.%s", diag.And(not), unread)
	}
	if len(settings) > 0 {
		fmt.Fprintf(&b, " Programs need %s.", strings.Join(settings, " "))
	}
	if len(pod) > 0 {
		fmt.Fprintf(&b, " Networks of pods need %s.", strings.Join(pod, ", "))
	}
	return b.String()
}
