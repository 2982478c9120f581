package targets_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// spelledAs returns a fabric of [gen] whose switches have the given spelling.
func (sp spelling) spelledAs(text string) string {
	config := ""
	if sp.config != "" {
		config = fmt.Sprintf("  config = %q\n", sp.config)
	}
	out := anyVersion.ReplaceAllString(anyModel.ReplaceAllString(text, `$1"sn2700"`+"\n"), `$1"`+sp.version+`"`+"\n"+config)
	if strings.HasPrefix(sp.name, "SONiC") {
		out = strings.ReplaceAll(anySystem.ReplaceAllString(out, `$1"sonic"`+"\n"), ":swp", ":etp")
	}
	return out
}

// treeOf compiles and renders a fabric without checks; nil: it is refused.
func treeOf(t *rapid.T, text string) *target.Tree {
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", lang.Options{})
	if ds.HasErrors() {
		return nil
	}
	f, ds := compiler.Compile(src, targets.Known)
	if f == nil || ds.HasErrors() {
		return nil
	}
	tree, ds := targets.Render(f)
	if ds.HasErrors() {
		return nil
	}
	return tree
}

// families are groups of spellings with one writer and one reader, by the beginnings of their names.
var families = []string{"traffic.conf", "files", "NVUE", "SONiC"}

// lawful counts the cases of [TestLaw] for a family.
type lawful struct {
	fabrics int
	met     map[string]bool // spellings, with the kinds of old content
	before  map[string]map[string][]byte
	factory map[string][]byte
	known   map[ir.PortSettings]map[string]irtest.Value
}

// values returns the values of a port; it computes them once for equal ports.
func (l *lawful) values(p *ir.PortSettings) map[string]irtest.Value {
	if l.known == nil || len(l.known) > 1<<10 {
		l.known = map[ir.PortSettings]map[string]irtest.Value{}
	}
	if l.known[*p] == nil {
		l.known[*p] = irtest.PortValues(p)
	}
	return l.known[*p]
}

// kinds are the possible contents of a device: nothing, the factory's file, settings of others, and settings of rocec for another
// fabric.
var kinds = []string{"nothing", "factory", "others", "rocec"}

// TestLaw writes devices of 300 random fabrics of each family and reads them back. A value is the wanted one if the fabric wants one, and
// the old one otherwise, up to the roundings that the target declares. The readers of the tests read the same values. Order, unknown keys
// and comments do not matter.
func TestLaw(t *testing.T) {
	least := 300
	if testing.Short() {
		least = 10
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			var all []spelling
			for _, sp := range spellings {
				if strings.HasPrefix(sp.name, family) {
					all = append(all, sp)
				}
			}
			require.NotEmpty(t, all)
			l := &lawful{met: map[string]bool{}, factory: map[string][]byte{}, before: map[string]map[string][]byte{}}
			one := func(rt *rapid.T) { l.one(t, rt, rapid.SampledFrom(all).Draw(rt, "spelling")) }
			everyKind(t, 3, one, func() bool { return len(l.met) == len(all)*len(kinds) && l.fabrics >= least })
			t.Logf("%d fabrics", l.fabrics)
			assert.Len(t, l.met, len(all)*len(kinds), "%v", l.met)
			assert.GreaterOrEqual(t, l.fabrics, least)
		})
	}
}

// one checks one fabric.
func (l *lawful) one(t *testing.T, rt *rapid.T, sp spelling) {
	g := &gen{T: rt, wild: rapid.Bool().Draw(rt, "wild")}
	tree := treeOf(rt, sp.spelledAs(g.fabric()))
	if tree == nil {
		return
	}
	l.fabrics++
	lies := rapid.SampledFrom(kinds).Draw(rt, "lies")
	other := rapid.SampledFrom(standing).Draw(rt, "others'")
	for _, d := range tree.Devices {
		held := l.hold(rt, d, lies, func(f target.File) []byte {
			switch {
			case lies == "rocec":
				return l.before[sp.name+d.Name][f.Path]
			case d.Role == target.Host:
				return nil
			case lies == "factory":
				return l.fromFactory(t, d, f)
			case lies == "others" && f.Live != nil:
				return []byte(standingTrees[other])
			case lies == "others" && f.Sketch == nil:
				return []byte(other)
			}
			return nil
		})
		if held != nil {
			l.before[sp.name+d.Name] = held
			l.met[sp.name+", "+lies] = true
		}
	}
}

// fromFactory returns the factory's file of a switch of the lab.
func (l *lawful) fromFactory(t *testing.T, d *target.Device, f target.File) []byte {
	if f.Live == nil {
		return []byte(d.Target.Image(d.Source).Files[f.Path])
	}
	at := fmt.Sprint(f.Path, len(d.Source.Ports))
	if l.factory[at] == nil {
		out, _, _ := lab.NewDevice(d).Run(t.Context(), "root", f.Live.Cmd, string(f.Live.Stdin))
		l.factory[at] = []byte(out)
	}
	return l.factory[at]
}

// hold writes a device over some contents and checks the values that it reads back. It returns the written content; nil: settings of others
// prevent writing.
func (l *lawful) hold(t *rapid.T, d *target.Device, kind string, lies func(target.File) []byte) map[string][]byte {
	was, is := map[string][]byte{}, map[string][]byte{}
	for _, f := range d.Files {
		old := lies(f)
		if len(old) == 0 && f.Sketch != nil {
			old = []byte(d.Target.Image(d.Source).Files[f.Path])
		}
		text, ds := f.Edit(old)
		if ds.HasErrors() {
			return nil
		}
		was[f.Path], is[f.Path] = old, text
	}
	read := func(of map[string][]byte) *ir.Settings {
		return d.Target.Read(d.Source, func(path string) []byte { return of[path] })
	}
	old, got, want := read(was), read(is), d.Source.Wanted()
	sameAsNaive(t, d, is, got, kind)
	require.True(t, got.Equal(read(shuffled(t, d, is))), "%s: order, unknown keys and comments matter", d.Name)
	judged, unknown := map[[3]*ir.PortSettings]bool{}, ir.UnknownPort()
	for _, p := range d.Source.Ports {
		if p.NIC != nil && len(p.NIC.Carries()) == 0 {
			continue // no file is written for it
		}
		w, g, o := want.Port(p.Name), got.Port(p.Name), old.Port(p.Name)
		if alike := [3]*ir.PortSettings{w, g, o}; judged[alike] {
			continue
		} else if judged[alike] = true; o == nil {
			o = &unknown
		}
		law{Device: d, port: p, of: p.String() + ", over " + kind}.all(t, l.values(w), l.values(g), l.values(o))
	}
	unread := old == nil && slices.ContainsFunc(d.Files, func(f target.File) bool { return f.Sketch != nil })
	if old == nil {
		old = &ir.Settings{}
	}
	whole := law{Device: d, unread: unread, port: d.Source.Ports[0], of: d.Name + ", over " + kind}
	whole.all(t, irtest.DeviceValues(want), irtest.DeviceValues(got), irtest.DeviceValues(old))
	return is
}

// law checks the values of a device or a port.
type law struct {
	*target.Device
	port   *ir.Port
	of     string
	unread bool // the old content classifies in no file, but has a file with pools
}

func (l law) all(t *rapid.T, want, got, old map[string]irtest.Value) {
	for name, g := range got {
		w, o := want[name], old[name]
		if g.Field == ir.FieldSystem || g.Field == ir.FieldPreset || l.nothing(name, want) || l.unread && w.Of == nil {
			continue
		}
		how, declared := l.rounded(g.Field)
		holds := func(ok bool) {
			if !ok {
				require.Fail(t, fmt.Sprintf("%s of %s (%s): wanted %v, was %v, is %v", name, l.of, l.Target.Name, w, o, g))
			}
		}
		stays := g.Of == o.Of || o.Of == nil && g.Is != ir.Stated
		switch {
		case declared && (how == target.Derived || how == target.Trusted && !l.trusts(g.Field, want)):
		case declared && how == target.Stays && w.Of == nil && g.Field == ir.FieldStamps: // some stay
			stamps, _ := g.Of.(uint64)
			holds(more(uint64(0), stamps, o.Of))
		case declared && how == target.Unsaid || w.Is == ir.NotKnown:
			holds(stays)
		case g.Of == w.Of:
		case w.Is == ir.Default:
			holds(stays)
		case declared && how == target.Stays:
			holds(more(w.Of, g.Of, o.Of))
		case declared && how == target.Up:
			metres, _ := g.Of.(int)
			holds(metres > w.Of.(int))
		default:
			holds(false)
		}
	}
}

// more reports whether got includes all wanted values, and otherwise only values that existed before.
func more(want, got, old any) bool {
	switch w := want.(type) {
	case uint8:
		g, _ := got.(uint8)
		o, _ := old.(uint8)
		return g&w == w && g&^w&^o == 0
	case uint64:
		g, _ := got.(uint64)
		o, _ := old.(uint64)
		return g&w == w && g&^w&^o == 0
	case ir.Trust:
		g, _ := got.(ir.Trust)
		return (g.PCP || !w.PCP) && (g.DSCP || !w.DSCP)
	case bool:
		return !w && (got == old || got == nil) // no manual states which of two rows applies
	}
	return got == old
}

// trusts reports whether a port should trust the header field of a map.
func (l law) trusts(f ir.Field, want map[string]irtest.Value) bool {
	t, _ := want["Trust"].Of.(ir.Trust)
	return t.DSCP && f == ir.FieldDSCP || t.PCP && f == ir.FieldPCP
}

// nothing reports whether a value has no effect because of other wanted values. Examples are a threshold of a queue that does not mark, a
// share of a strict class, and a value of a group without a cos. A value that repeats another one has no effect either.
func (l law) nothing(name string, want map[string]irtest.Value) bool {
	if want[name].Of != nil {
		return name == "Marking" // each queue has its own
	}
	at, member, _ := strings.Cut(name, ".")
	follows := member == "Pool" || member == "Limit" // depends on the lossless classes
	switch {
	case name == "Headroom" || name == "Marking" || strings.HasPrefix(at, "Queues[") && follows:
		return true
	case strings.HasPrefix(name, "Share["):
		return want["Strict"+strings.TrimPrefix(name, "Share")].Of == true
	case member == "Share":
		return want[at+".Strict"].Of == true
	case strings.HasPrefix(at, "Queues[") && slices.Contains([]string{
		"MarkMin", "MarkMax", "Probability", "Unmarkable", "Drop", "DropMin",
		"DropMax",
	}, member):
		return want[at+".ECN"].Of == false || strings.HasPrefix(member, "Drop")
	case strings.HasPrefix(at, "Groups["):
		for cos := range 8 {
			if g, is := want["Group["+strconv.Itoa(cos)+"]"].Of.(int8); is && "Groups["+strconv.Itoa(int(g))+"]" == at {
				return want[at+".Lossless"].Of == false && member != "Lossless" || follows
			}
		}
		return true
	case at == "Watchdog":
		return want["Watchdog.Action"].Of == ir.WatchdogOff
	}
	return false
}

// rounded returns the rounded form that the target declares for a field.
func (l law) rounded(f ir.Field) (target.Rounded, bool) {
	i := slices.IndexFunc(l.Target.Rounds, func(r target.Rounding) bool { return r.Field == f && (r.On == nil || r.On(l.port)) })
	if i < 0 {
		return 0, false
	}
	return l.Target.Rounds[i].How, true
}
