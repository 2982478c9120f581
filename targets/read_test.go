package targets_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/target"
)

// readsBack compares every device with the meaning of the fabric. It reads the content that is written without an existing file, and the
// content edited into the file of its group. It returns the number of ports compared.
func readsBack(t require.TestingT, tree *target.Tree, lies func(group string) []byte) (ports int) {
	for _, d := range tree.Devices {
		content := map[string][]byte{}
		for _, file := range d.Files {
			var old []byte
			switch {
			case file.Sketch != nil:
				old = []byte(d.Target.Image(d.Source).Files[file.Path])
			case d.Role == target.Switch && lies != nil:
				old = lies(d.Group)
			}
			text, ds := file.Edit(old)
			if ds.HasErrors() {
				return ports
			}
			content[file.Path] = text
			if file.Lint == nil || lies != nil {
				continue
			}
			found, foreign := file.Lint(text)
			require.Empty(t, foreign, d.Name)
			require.Empty(t, found, d.Name)
		}
		got, want := d.Target.Read(d.Source, func(path string) []byte { return content[path] }), d.Source.Wanted()
		s := says{nic: d.Role == target.Host, edited: lies != nil}
		if sw := d.Source.Switch; sw != nil {
			s.either = d.Source.Fabric.FlowControl == ir.Pause || len(sw.Intents) == 0
			s.thresholds = sw.Version >= "3.3"
			s.derives = slices.ContainsFunc(d.Files, func(f target.File) bool { return f.Path == nvue.Path || f.Path == sonic.Path })
			s.alone = sw.OS == sonic.OS.Name
			s.everywhere = strings.HasPrefix(sw.Version, "4.4")
		}
		for _, p := range d.Source.Ports {
			if p.NIC != nil && len(p.NIC.Carries()) == 0 {
				continue // no file is written for it
			}
			if lies != nil && p.NIC == nil && len(p.Buffers()) == 0 {
				continue // others may have their own rules for it
			}
			ports++
			require.NotNil(t, got.Port(p.Name), p.String())
			agree(t, p.String(), want.Port(p.Name), got.Port(p.Name), s)
		}
		if want.Rest != nil && lies == nil && !s.alone {
			agree(t, d.Name+", other ports", want.Rest, got.Rest, s)
		}
	}
	return ports
}

// says tells which values a device can state.
type says struct {
	nic        bool // it has only the map of the trusted field, states no buffers, and marks nothing
	either     bool // the trusted field does not matter: every class is lossless by link pause, or no intent crosses it
	edited     bool // others have set it before
	thresholds bool // values of marking; the manuals before 3.3 show none
	derives    bool // it derives headroom from the length of the cable, unless sizes are stated
	everywhere bool // it has one list of marks for all ports
	alone      bool // ports outside of the fabric keep the settings of others
}

// agree compares the known values that were read with the wanted values.
func agree(t require.TestingT, of string, want, got *ir.PortSettings, says says) {
	if want.TrustKnown && !says.either {
		require.True(t, got.TrustKnown, of)
		spare := says.edited && got.Trust == (ir.Trust{PCP: true, DSCP: true}) // as before
		require.True(t, spare || want.Trust == got.Trust, "%s trusts %s, not %s", of, got.Trust, want.Trust)
	}
	for v, cos := range want.DSCP {
		if cos >= 0 && got.Trust.DSCP {
			require.Equal(t, cos, got.DSCP[v], "%s: DSCP %d", of, v)
		}
	}
	for v, cos := range want.PCP {
		if cos >= 0 && got.Trust.PCP && !says.nic {
			require.Equal(t, cos, got.PCP[v], "%s: PCP %d", of, v)
		}
	}
	type pauses struct {
		known, link  bool
		sends, obeys uint8
	}
	require.Equal(t, pauses{true, want.LinkPause, want.Sends, want.Obeys}, pauses{got.PausesKnown, got.LinkPause, got.Sends, got.Obeys}, of)
	if says.nic {
		return
	}
	if !says.derives || got.Headroom > 0 {
		require.Equal(t, want.Headroom, got.Headroom, of)
	}
	if says.derives && want.Marks == 0 { // a port without a profile marks class 0, as in the factory settings
		require.LessOrEqual(t, got.Marks, uint8(1), of)
		return
	}
	if says.everywhere {
		require.Equal(t, want.Marks, want.Marks&got.Marks, of)
		if want.Marks == 0 {
			return
		}
	} else {
		require.Equal(t, want.Marks, got.Marks, of)
	}
	if got.Marks == 0 || got.Marking != (ir.Marking{}) || says.thresholds {
		require.Equal(t, want.Marking, got.Marking, of)
	}
	for cos, share := range got.Share {
		require.NotEqual(t, got.Strict>>cos&1 == 1, share > 0, "%s: cos %d is strict or has a share", of, cos)
	}
}

// TestReadExamples: the written files of every example read back as the wanted settings of its fabric.
func TestReadExamples(t *testing.T) {
	ports := 0
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		j := judge.Judge(t.Context(), os.DirFS("../examples"), e.Name(), judge.Options{Lang: lang.Options{Vars: nil}})
		if j.Fabric != nil && !j.Diags.HasErrors() {
			ports += readsBack(t, j.Tree(), nil)
		}
	}
	assert.Greater(t, ports, 500)
}

// TestReadRandom: the same for random fabrics, without an existing file and with files of others.
func TestReadRandom(t *testing.T) {
	ports := 0
	one := func(rt *rapid.T) {
		g := &gen{T: rt, wild: rapid.Bool().Draw(rt, "wild")}
		text := g.fabric()
		old := map[string]string{}
		for _, group := range []string{"leaf", "spine"} {
			old[group] = rapid.SampledFrom(standing).Draw(rt, "on "+group)
		}
		if j := judged(rt, text); !j.Diags.HasErrors() {
			ports += readsBack(rt, j.Tree(), nil) + readsBack(rt, j.Tree(), func(group string) []byte { return []byte(old[group]) })
		}
	}
	least := 1000
	if testing.Short() {
		least = 200
	}
	everyKind(t, 3, one, func() bool { return ports > least }) // most fabrics are refused
	assert.Greater(t, ports, least)
}

// TestReadSamples: the samples of the conformance suite read back, including a host with several families. Values that a device cannot
// state are unknown.
func TestReadSamples(t *testing.T) {
	for name, c := range samples {
		f := c.compile(t)
		tree, ds := targets.Render(f)
		require.False(t, ds.HasErrors(), name)
		if c.v1 || c.v2 {
			assert.Positive(t, readsBack(t, tree, nil), name)
		}
		for _, d := range tree.Devices {
			assert.Nil(t, d.Target.Read(d.Source, func(string) []byte { return nil }), "%s %s: no settings", name, d.Name)
		}
	}
	tree, _ := targets.Render(samples["v2 on 3.4"].compile(t))
	host := tree.Devices[0]
	require.Equal(t, target.Host, host.Role)
	reads := func(state string) *ir.PortSettings {
		s := host.Target.Read(host.Source, func(path string) []byte {
			return map[string][]byte{"nic/ens1f0": []byte(state), "/etc/rocec/host/ens1f0.conf": []byte("pfc=1,1,1,1,1,1,1,1\ntrust=dscp\n")}[path]
		})
		return s.Port("ens1f0")
	}
	assert.Equal(t, uint8(1<<3), reads("pfc=0,0,0,1,0,0,0,0\npause=off\ntrust=pcp\n").Sends, "the live state takes precedence")
	for _, unknown := range []string{"unsupported", "missing", "unread", ""} {
		p := reads(strings.ReplaceAll("pfc=X\npause=X\ntrust=X\ndscp_prio0=X\nets_tc=X\nets_tsa=X\nets_bw=X\n", "X", unknown))
		assert.Equal(t, ir.UnknownPort(), *p, unknown)
	}
	lp := reads("pfc=0,0,0,0,0,0,0,0\npause=rx\n")
	assert.Equal(t, "true 0 255", fmt.Sprint(lp.LinkPause, lp.Sends, lp.Obeys))
	ets := reads("ets_bw=40,0,0,0,60,0,0,0\nets_tc=0,0,0,0,4,0,6,0\nets_tsa=ets,strict,strict,strict,ets,strict,strict,strict\n")
	assert.Equal(t, [8]uint8{40, 40, 40, 40, 60, 40, 0, 40}, ets.Share)
	assert.Equal(t, uint8(1<<6), ets.Strict)
	stamps := reads("tos=106\ntraffic_class=off\ntraffic_rules=dst_ip=192.0.2.0/24,tclass=16 src_ip=192.0.2.1,tclass=999\n").Stamps
	assert.Equal(t, uint64(1<<26|1<<4), stamps, "DSCP 26 and 4")
}

// FuzzRead: no bytes stop any target from reading a device, as a file or as a live state.
func FuzzRead(f *testing.F) {
	tree, _ := targets.Render(samples["both on 4.3"].compile(f))
	byTarget := map[string]*target.Device{}
	for _, d := range tree.Devices {
		if byTarget[d.Target.Name] == nil {
			byTarget[d.Target.Name] = d
			for _, file := range d.Files {
				whole, _ := file.Edit(nil)
				f.Add(whole)
			}
		}
	}
	f.Add([]byte("pfc=1,1\nets_tc=9,-1,,,,,,\nets_tsa=ets,ets,ets,ets,ets,ets,ets,ets\nets_bw=999,,,,,,,\ndscp_prio0=9-3,-1,60-70,0-63\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, d := range byTarget {
			read := func() *ir.Settings { return d.Target.Read(d.Source, func(string) []byte { return content }) }
			require.Equal(t, read(), read())
			require.False(t, read().Loses(read()))
			files, not := d.Target.Transition(d.Source, func(string) []byte { return content }, len(content)%2 == 0)
			require.True(t, not == "" || files == nil)
		}
	})
}
