package targets

import (
	"bytes"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// System is a kind of devices, with the questions whose answers show their settings.
type System struct {
	Name string // the target of switches, or [Hosts]
	Asks []target.Question
}

// Hosts is the name of the system of every host.
const Hosts = "host"

// Question is a question with the systems that it is for.
type Question struct {
	target.Question
	To []string
}

// asksAll are the questions to every device.
var asksAll = []target.Question{
	{File: hostnameFile, Cmd: "hostname", Says: "the name of the device"},
	{File: speedsFile, Cmd: askSpeeds, Says: "the speeds of links"},
	{File: lldpNames[0], Cmd: "lldpctl -f json", Says: "the other ends of cables"},
	askFRR,
	askAddresses,
	askKernel,
	{File: target.CountersFile, Cmd: askCounters, Says: "counters of pauses"},
}

// askFRR is the question about the configuration of FRRouting.
var askFRR = target.Question{
	File: frrNames[0], Cmd: `vtysh -c "show running-config" | head -c 4194305`, Says: "sessions and policies of BGP, and static routes",
}

// Systems returns every system with its questions, in the order of the table of targets, and hosts at the end.
func Systems() (out []System) {
	for _, row := range All {
		if len(row.Asks) > 0 {
			out = append(out, System{row.Name, slices.Concat(row.Asks, asksAll, asksRoutes)})
		}
	}
	return append(out, System{Hosts, slices.Concat(tools.Asks, asksAll)})
}

// Questions returns the questions to a device with an unknown system: those of all systems, each once.
func Questions() (out []Question) {
	for _, s := range Systems() {
		for _, q := range s.Asks {
			i := slices.IndexFunc(out, func(o Question) bool { return o.File == q.File })
			if i < 0 {
				i = len(out)
				out = append(out, Question{Question: q})
			}
			out[i].To = append(out[i].To, s.Name)
		}
	}
	return out
}

// SettingsAsks returns the questions about the settings of a switch that rocec reads; nil: it reads none.
func SettingsAsks(d *ir.Device) (out []target.Question) {
	if d.Switch == nil || d.ByHand != nil {
		return nil
	}
	for _, row := range All.of(d) {
		for _, q := range row.Asks {
			if !slices.Contains(countersFiles(), q.File) {
				out = append(out, q)
			}
		}
	}
	return out
}

// notKept is the reason why a file with a known name is not kept.
type notKept string

// Error returns the reason, as part of a sentence.
func (e notKept) Error() string { return string(e) }

const (
	errUnknown notKept = "rocec reads nothing in it"
	errNotRead notKept = "it could not be read"

	// ErrOther is the error for a file that states the release of a system that rocec does not know.
	ErrOther notKept = "it is of another system"
)

// Keep returns a file of a device without the rows and values that rocec does not read, and their number. The error is the reason why the
// file is not kept at all, as part of a sentence.
func Keep(f lint.File) (kept []byte, dropped int, err error) {
	f.Data = bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf"))
	j := newJudging(nil, []lint.File{f}, devicesOf([]lint.File{f}))
	switch r := &j.read[0]; {
	case f.Why != "":
		return nil, 0, errNotRead
	case r.states != nil && r.states.Stated(f.Data) == "":
		return nil, 0, ErrOther
	case r.routes:
		kept, dropped = keepFRR(f.Data)
		return kept, dropped, nil
	case r.unrouted+r.unshown != "":
		return nil, 0, notKept(r.unrouted + r.unshown)
	case r.forwards != nil:
		kept, err = r.forwards.kept()
		return kept, 0, err
	case r.forwarding != nil:
		kept, err = forwarding.Keep(f.Name, f.Data)
		return kept, 0, err
	case r.host:
		return tools.Keep(f.Name, f.Data)
	case r.neighbours != nil, r.states != nil, r.named != "", r.speeds != nil:
		return f.Data, 0, nil
	case r.counters:
		return keepCounters(f.Data)
	case r.row == nil:
		return nil, 0, errUnknown
	case r.row.Keep == nil:
		return f.Data, 0, nil
	default:
		return r.row.Keep(f.Name, f.Data)
	}
}
