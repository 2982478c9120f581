package cumulus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// mixedSample is the canonical switch with link pause at its hosts and PFC at its uplinks.
func mixedSample(t testing.TB, version string) *sample {
	s := canonicalSample(t, "sn2700", version, 2)
	for i, l := range s.fabric.Links {
		if l.FlowControl = ir.PFC; i < 4 {
			l.FlowControl = ir.Pause
		}
	}
	return s
}

// TestPauseAtSomePorts: for any content of the file, a port gets PFC or link pause, never both, and the result reads back so.
func TestPauseAtSomePorts(t *testing.T) {
	for _, version := range []string{"3.1.1", "3.4.3", "3.7.16", "4.1.1", "4.3.0"} {
		t.Run(version, func(t *testing.T) {
			s := mixedSample(t, version)
			edit := s.file(t)
			for _, old := range []string{"", "link_pause.port_group_list = [mine]\nlink_pause.mine.port_set = swp2,swp31,swp9\n" +
				"link_pause.mine.port_buffer_bytes = 70000\nlink_pause.mine.xoff_size = 18000\nlink_pause.mine.xon_delta = 0\n" +
				"link_pause.mine.tx_enable = true\nlink_pause.mine.rx_enable = true\n" +
				"pfc.port_group_list = [theirs]\npfc.theirs.port_set = swp1,swp10\npfc.theirs.cos_list = [4]\n" +
				"pfc.theirs.port_buffer_bytes = 70000\npfc.theirs.xoff_size = 18000\npfc.theirs.xon_delta = 0\n" +
				"pfc.theirs.tx_enable = true\npfc.theirs.rx_enable = true\n"} {
				got := edit(old)
				assert.Contains(t, got, "pfc.roce_pfc.port_set = swp31-swp32\n")
				assert.Contains(t, got, "link_pause.roce_pause.port_set = swp1-swp4\n")
				assert.NotContains(t, got, "link_pause.roce_pause.cos_list")
				if old != "" {
					assert.Contains(t, got, "link_pause.mine.port_set = swp9\n")
					assert.Contains(t, got, "pfc.theirs.port_set = swp10\n")
				}
				assert.Equal(t, got, edit(got))
				read, want := Target.Read(s.sw, func(string) []byte { return []byte(got) }), s.sw.Wanted()
				for i, p := range s.sw.Ports {
					have, meant := read.Port(p.Name), want.Port(p.Name)
					require.Equal(t, i < 4, have.LinkPause, p.Name)
					require.Equal(t, meant.LinkPause, have.LinkPause, p.Name)
					require.Equal(t, meant.Sends, have.Sends, p.Name)
					require.Equal(t, meant.Obeys, have.Obeys, p.Name)
					require.Equal(t, meant.Headroom, have.Headroom, p.Name)
					require.Equal(t, meant.Marks, have.Marks, p.Name)
				}
			}
		})
	}
}

// The number of lossless groups is checked only with PFC. A chip without PFC may have link pause.
func TestChecksOfPortsByPFC(t *testing.T) {
	s := mixedSample(t, "3.7.16")
	for i, cos := range []int{1, 2, 5} {
		g := s.group(ir.CosGroup{Name: string(rune('a' + i)), Cos: cos, Lossless: true, PCP: claims(cos)})
		for _, p := range s.sw.Ports[:4] {
			carry(p, g, 70000, 18000, 2000)
		}
	}
	_, ds := Target.Render(s.sw)
	assert.NotContains(t, text(ds), "cumulus-lossless-groups")
	for _, d := range ds {
		assert.NotEqual(t, "cumulus-lossless-groups", d.Code)
	}

	s = mixedSample(t, "3.4.3")
	s.sw.Switch.Can.PFC = false
	_, ds = Target.Render(s.sw)
	require.True(t, ds.HasErrors(), "the uplinks need PFC")
	for _, l := range s.fabric.Links[4:] {
		l.FlowControl = ir.Pause
	}
	_, ds = Target.Render(s.sw)
	require.False(t, ds.HasErrors(), "%v", text(ds))
}
