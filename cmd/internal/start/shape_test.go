package start

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// Every shape is free of PFC loops at once, on every system and for few and many hosts, without a warning, and in the form of fmt. It is
// small enough to read.
func TestShapes(t *testing.T) {
	require.Len(t, targets.Known.OS, 2)
	for _, s := range Shapes {
		for _, os := range targets.Known.OS {
			for _, hosts := range []int{FewestHosts, 3, 16, 17, 64, 100, s.Most} {
				if hosts > 64 && testing.Short() {
					continue
				}
				name := s.Name + " " + os.Name + " " + diag.Number(hosts)
				files := Shaped(s, hosts, System{OS: os})
				lines := 0
				for _, f := range files[:3] {
					out, ds := lang.Format(f.Name, f.Data)
					require.Empty(t, ds, name)
					require.Equal(t, string(out), string(f.Data), name)
					lines += strings.Count(string(f.Data), "\n")
				}
				require.Less(t, lines, 200, name)
				j := judged(t, files)
				v, why := verdict(j)
				require.NotEmpty(t, v, "%s: %s", name, why)
				for one := range strings.SplitSeq(v, ", ") {
					require.Equal(t, "free", one, name)
				}
				for _, d := range j.Diags {
					require.Greater(t, d.Severity, diag.Warning, "%s: %s %s: %s", name, d.At, d.Code, d.Detail)
				}
				got := 0
				for _, d := range j.Fabric.Devices {
					if d.Host != nil {
						got++
					}
				}
				require.Equal(t, hosts, got, name)
			}
		}
	}
}
