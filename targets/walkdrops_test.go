package targets_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/diag"
)

// onSONiC sets SONiC on every switch of a drawn fabric.
func onSONiC(text string) string {
	text = anyModel.ReplaceAllString(anySystem.ReplaceAllString(text, `$1"sonic"`+"\n"), `$1"sn3700"`+"\n")
	return strings.ReplaceAll(anyVersion.ReplaceAllString(text, `$1"202511"`+"\n"), ":swp", ":etp")
}

// onTrident2 sets Trident II on every switch of a drawn fabric; there marking also enables early drops.
func onTrident2(text string) string {
	text = anyModel.ReplaceAllString(text, `$1"s6000"`+"\n")
	return anyVersion.ReplaceAllString(text, `$1"3.7.16"`+"\n")
}

// TestWalkDrops: some systems drop packets that a queue cannot mark. On these, a fabric is an error exactly if a packet without ECN bits
// enters such a queue. On systems whose queues let such packets pass, no fabric is an error.
func TestWalkDrops(t *testing.T) {
	const code = "ecn-drops-unmarkable"
	met := map[string]int{}
	one := func(rt *rapid.T) {
		g := &gen{T: rt, share: rapid.Bool().Draw(rt, "RoCEv1 in a marked group")}
		text := g.fabric()
		var stated map[string]statement
		if rapid.Bool().Draw(rt, "hosts without DCQCN") {
			stated = map[string]statement{"h": {noDCQCN: true}}
			text = strings.Replace(text, placeFor("h"), "  by_hand { dcqcn = false }\n", 1)
		}
		for system, spelled := range map[string]string{"sonic": onSONiC(text), "trident2": onTrident2(text), "cumulus": text} {
			j := judged(rt, spelled)
			if j.Fabric == nil {
				continue
			}
			reported, other := false, false
			for _, d := range j.Diags {
				reported = reported || d.Code == code
				other = other || d.Severity == diag.Error && d.Code != code
			}
			if other {
				continue
			}
			w := walk(t, j.Fabric, j.Tree(), stated, nil)
			require.NotNil(rt, w, spelled)
			lost := slices.ContainsFunc(w.faults, func(f fault) bool { return !f.soft && strings.HasSuffix(f.text, "no ECN bits") })
			require.Equal(rt, lost, reported, "%s\n%v\n%s", spelled, w.faults, said(j, diag.Error))
			switch {
			case system == "cumulus":
				require.False(rt, lost, "none of the chips drops")
				met["nothing drops"]++
			case !lost:
				met[system+" drops none"]++
			case stated != nil:
				met[system+" drops RoCEv2"]++
			default:
				met[system+" drops RoCEv1"]++
			}
		}
	}
	kinds := []string{
		"nothing drops", "sonic drops none", "sonic drops RoCEv2", "sonic drops RoCEv1",
		"trident2 drops none", "trident2 drops RoCEv2", "trident2 drops RoCEv1",
	}
	missing := func() bool { return slices.ContainsFunc(kinds, func(k string) bool { return met[k] == 0 }) }
	everyKind(t, 2, one, func() bool { return !missing() })
	t.Logf("%v", met)
	require.False(t, missing(), "%v", met)
}
