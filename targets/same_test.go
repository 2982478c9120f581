package targets_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/cumulus"
)

// spelling is one of several equivalent ways to configure a switch.
type spelling struct{ name, version, config string }

var spellings = []spelling{
	{"traffic.conf of 3.4", "3.4.3", ""},
	{"traffic.conf of 3.7", "3.7.16", ""},
	{"traffic.conf of 4.3", "4.3.0", ""},
	{"files of 4.4", "4.4.0", ""},
	{"files of 5.3", "5.3.0", ""},
	{"files of 5.9", "5.9.0", "files"},
	{"NVUE of 5.4", "5.4.0", ""},
	{"NVUE of 5.9", "5.9.0", ""},
	{"NVUE of 5.15", "5.15.0", ""},
	{"SONiC 202205", "202205", ""},
	{"SONiC 202505", "202505", ""},
	{"SONiC 202511", "202511", ""},
	{"NVUE of 5.18", "5.18.0", ""},
}

// A spelling cannot state the following values, so they are not compared. All others are compared.
//
//   - Trusted fields: releases up to 3.4 trust the same fields on the whole switch, so the test compares packets that intents send there.
//     If the fields are the same, it compares every packet. If a release allows one field but two are needed, the fabric is refused, unless
//     it has link pause, which stops all classes.
//   - Values of a field that a switch does not trust: not written up to 4.0, because the keys do not name the field.
//   - Shares: up to 4.3 priority groups have weights, so the queues of each are added up.
//   - Marks by ports: 4.4 has one list of queues for all of them, so only marks that a port sets itself are compared.
//   - Values that no group claims: Cumulus Linux reserves a cos for its own traffic and puts these values into the next lossy cos.
//   - Headroom: the files state it in bytes; NVUE and SONiC derive it from the length of the cable. TestWalk of their packages checks that
//     length.
const perPort = "4.4.0"

// refusals are the codes of values that a dialect cannot state, each with the spellings that refuse them. For any other reason a
// fabric is refused in every spelling, or in no spelling.
var refusals = map[string][]string{
	"cumulus-trust":      {"traffic.conf of 3.4"},                        // a switch trusts one field
	"trust-mismatch":     {"traffic.conf of 3.4", "traffic.conf of 3.7"}, // and all its ports trust the same fields
	"cumulus-ecn-groups": {"files of 4.4"},                               // one set of thresholds for all ports

	"sonic-pause": {"SONiC 202205", "SONiC 202505", "SONiC 202511"}, // there is no link pause
	"sonic-trust": {"SONiC 202205", "SONiC 202505", "SONiC 202511"}, // a port trusts one field

	"ecn-drops-unmarkable": {"SONiC 202205", "SONiC 202505", "SONiC 202511"}, // its queues drop packets that they cannot mark
}

var (
	anyVersion = regexp.MustCompile(`(  version = )"[0-9.]+"\n`)
	anySystem  = regexp.MustCompile(`(  os = )"cumulus-linux"\n`)
	anyModel   = regexp.MustCompile(`(  model = )"(?:sn[0-9]+|z9100)"\n`)
)

// TestSameEverywhere: every spelling treats packets in the same way, for 100 random fabrics, with -whole 300.
func TestSameEverywhere(t *testing.T) {
	machinetest.Long(t)
	compared, wholly := map[string]int{}, map[string]int{}
	one := func(rt *rapid.T) {
		g := &gen{T: rt, wild: rapid.Bool().Draw(rt, "wild")}
		text := anyModel.ReplaceAllString(g.fabric(), `$1"sn2700"`+"\n")
		var first map[string]*box
		var by, refused string
		for i, sp := range slices.Backward(spellings) {
			config := ""
			if sp.config != "" {
				config = fmt.Sprintf("  config = %q\n", sp.config)
			}
			spelled := anyVersion.ReplaceAllString(text, `$1"`+sp.version+`"`+"\n"+config)
			onSONiC := strings.HasPrefix(sp.name, "SONiC")
			if onSONiC {
				spelled = strings.ReplaceAll(anySystem.ReplaceAllString(spelled, `$1"sonic"`+"\n"), ":swp", ":etp")
			}
			j := judged(rt, spelled)
			why, cannot := "", false
			for _, d := range j.Diags {
				if d.Severity == diag.Error {
					why += d.Code + "\n"
					cannot = cannot || slices.Contains(refusals[d.Code], sp.name)
				}
			}
			if i == len(spellings)-1 {
				refused = why
			}
			require.True(rt, cannot || why == refused, "%s: %q, not %q\n%s", sp.name, why, refused, text)
			if j.Diags.HasErrors() {
				continue
			}
			w := walk(t, j.Fabric, j.Tree(), nil, nil)
			require.NotNil(rt, w, "%s\n%s", sp.name, text)
			if first == nil {
				first, by = w.boxes, sp.name
				continue
			}
			for _, d := range j.Fabric.Devices {
				if d.Switch == nil {
					continue
				}
				compared[sp.name]++
				box := w.boxes[d.Name]
				if onSONiC {
					box = box.under(frontNames(d))
				}
				sameSwitch(rt, d, first[d.Name], box, sp.version == perPort, onSONiC,
					func() { wholly[sp.name]++ }, fmt.Sprintf("%s\n%s, by %s and %s", text, d.Name, by, sp.name))
			}
			if sp.version != perPort && !onSONiC { // the newer one states more
				first, by = w.boxes, sp.name
			}
		}
	}
	rounds := 1
	if *whole {
		rounds = 3
	}
	others := spellings[:len(spellings)-1]
	everyKind(t, rounds, one, func() bool {
		return !slices.ContainsFunc(others, func(sp spelling) bool { return compared[sp.name] == 0 || wholly[sp.name] == 0 })
	})
	t.Logf("switches compared: %v, of them by every packet at some port: %v", compared, wholly)
	for _, sp := range others {
		assert.NotZero(t, compared[sp.name], sp.name)
		assert.NotZero(t, wholly[sp.name], sp.name)
	}
}

// frontNames maps the names of a switch's ports to their names on Cumulus Linux.
func frontNames(d *ir.Device) map[string]string {
	out := map[string]string{}
	for _, p := range d.Ports {
		out[p.Name] = cumulus.OS.Spell(d.Switch.Model, p.Front)
	}
	return out
}

// sameSwitch compares the effect of two texts on a switch. Boxes use the port names of Cumulus Linux; other: one text is of another system.
func sameSwitch(t *rapid.T, d *ir.Device, a, b *box, all, other bool, whole func(), what string) {
	require.NotNil(t, a, what)
	require.NotNil(t, b, what)
	whole0 := false
	names := frontNames(d)
	for _, p := range d.Ports {
		name := names[p.Name]
		x, y := a.sorter(name), b.sorter(name)
		alike := x.trustPCP == y.trustPCP && x.trustDSCP == y.trustDSCP
		for _, in := range p.Entering() {
			if !alike && d.Fabric.FlowControl == ir.Pause {
				break
			}
			for _, pkt := range sentBy(in, p) {
				require.Equal(t, a.classify(name, pkt), b.classify(name, pkt), "%s: %s, %+v of %s", what, p, pkt, in.Name)
			}
		}
		if alike {
			whole0 = true
			for v := range 64 {
				for _, pkt := range []packet{{ip: true, dscp: v}, {tagged: true, pcp: v % 8}, {ip: true, dscp: v, tagged: true, pcp: v % 8}, {}} {
					at, to := a.classify(name, pkt), b.classify(name, pkt)
					if other && to == cumulus.CosCPU && lossy(d, at) && lossy(d, to) {
						continue
					}
					require.Equal(t, at, to, "%s: %s, %+v", what, p, pkt)
				}
			}
		}
		for cos := range 8 {
			require.Equal(t, a.end(name, cos), b.end(name, cos), "%s: pauses of %s, %d", what, p, cos)
			marks := func(b *box) bool { return b.marks[name][cos] || b.marksAll[cos] }
			if !all || slices.ContainsFunc(p.Marks(), func(m *ir.Mark) bool { return m.Group.Cos == cos }) {
				require.Equal(t, marks(a), marks(b), "%s: marks of %s, %d", what, p, cos)
			}
			if marks(a) && marks(b) {
				sameThresholds(t, p, cos, other, a.thresholds(name, cos), b.thresholds(name, cos),
					fmt.Sprintf("%s: thresholds of %s, %d", what, p, cos))
			}
		}
		sameShares(t, p, name, a, b, what)
	}
	if whole0 {
		whole()
	}
}

// sameThresholds compares thresholds and probabilities of a queue. SONiC drops packets that it cannot mark at the same thresholds. So the
// derived probability for a lossless queue rises slowly: to 5 %, at the length to which one port can fill a queue. A lossy queue may have
// the same values, because up to 202505 all queues share one set.
func sameThresholds(t *rapid.T, p *ir.Port, cos int, sonic bool, a, b [3]int, what string) {
	i := slices.IndexFunc(p.Marks(), func(m *ir.Mark) bool { return m.Group.Cos == cos })
	if !sonic || i < 0 {
		require.Equal(t, a, b, what)
		return
	}
	g := p.Marks()[i].Group
	require.Equal(t, a[0], b[0], what)
	switch stated := g.ECN.Probability.Set(); {
	case g.Lossless && !stated:
		require.Equal(t, 5, b[2], what)
	case stated || b[2] != 5:
		require.Equal(t, a[2], b[2], what)
	}
	if g.ECN.Max.Set() {
		require.Equal(t, a[1], b[1], what)
	}
	require.LessOrEqual(t, b[0], b[1], what)
}

// lossy reports whether no group makes a cos lossless.
func lossy(d *ir.Device, cos int) bool {
	return cos >= 0 && !slices.ContainsFunc(d.Fabric.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == cos && g.Lossless })
}

// sorter returns the box whose fields and maps apply to a port.
func (b *box) sorter(port string) *box {
	if own := b.own[port]; own != nil {
		return own
	}
	return b
}

func (b *box) thresholds(port string, cos int) [3]int {
	if t, ok := b.from[port][cos]; ok {
		return t
	}
	return b.from[""][cos]
}

// shares returns the share of a port's link for each cos in percent, 0 for a strict cos; nil: priority groups have the weights.
func (b *box) shares(port string) map[int]int {
	if s := b.share[port]; s != nil {
		return s
	}
	return b.share[""]
}

// sentBy returns the packets of an intent that come in at a port.
func sentBy(in *ir.Intent, p *ir.Port) (out []packet) {
	tagged := in.VLAN > 0 && !p.Link().Routed
	if in.Version == 1 {
		return []packet{{tagged: tagged, pcp: in.Group.Cos}}
	}
	if !in.ByDSCP() {
		return []packet{{ip: true, tagged: tagged, pcp: in.Group.Cos}}
	}
	for _, c := range in.Group.DSCP {
		out = append(out, packet{ip: true, dscp: c.Value, tagged: tagged})
	}
	return out
}

// sameShares compares the strict queues, and the shares of the others. Rounding to whole percents of at least one allows a deviation of one
// for each queue.
func sameShares(t *rapid.T, p *ir.Port, name string, a, b *box, what string) {
	x, y := a.shares(name), b.shares(name)
	if x != nil && y != nil {
		require.Equal(t, x, y, "%s: shares of %s", what, p)
		require.Len(t, x, 8)
		return
	}
	if x == nil && y == nil {
		require.Equal(t, a.group, b.group, what)
		require.Equal(t, a.weight, b.weight, what)
		return
	}
	groups, shares := a, y
	if x != nil {
		groups, shares = b, x
	}
	require.Len(t, groups.group, 8, what)
	total, of := 0, map[string]int{}
	for _, g := range slices.Sorted(maps.Keys(groups.weight)) {
		if len(groups.membersOf(g)) > 0 {
			total += groups.weight[g]
		}
	}
	for cos := range 8 {
		g := groups.group[cos]
		share, stated := shares[cos]
		require.True(t, stated, "%s: %d", what, cos)
		require.Equal(t, groups.weight[g] == 0, share == 0, "%s: %d is strict", what, cos)
		of[g] += share
	}
	for g, sum := range of {
		want := 100 * float64(groups.weight[g]) / float64(max(total, 1))
		require.LessOrEqual(t, math.Abs(want-float64(sum)), 8.0, "%s: %s of %s", what, g, p)
	}
}

func (b *box) membersOf(group string) (out []int) {
	for cos := range 8 {
		if b.group[cos] == group {
			out = append(out, cos)
		}
	}
	return out
}
