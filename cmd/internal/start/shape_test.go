package start

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// Every shape is free of PFC loops at once, on every system and for few and many hosts, without a warning, and in the form of fmt. Its
// files are short enough to read.
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

// A person can make a larger fabric than the largest draft by Shape.More and the recipes. The top switches get a model with twice the
// ports, and nodesets and lists get twice the names.
func TestShapesGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("judges large fabrics")
	}
	list := func(stem string, n int) string {
		var keys []string
		for i := 1; i <= n; i++ {
			keys = append(keys, fmt.Sprintf("%q", fmt.Sprintf("%s%02d", stem, i)))
		}
		return strings.Join(keys, ", ")
	}
	for shape, c := range map[string]struct {
		upmost string   // the switch block
		wider  []string // old and new, in both files
	}{
		"leaf-spine": {"spine", []string{
			"gpu[001-512]", "gpu[0001-1024]", "leaf[01-32]", "leaf[01-64]", `spine[01-16]:swp[1-32]`,
			`spine[01-16]:swp[1-64]`,
		}},
		"dual-plane": {"spine", []string{
			"gpu[001-512]", "gpu[0001-1024]", "leaf[01-32]", "leaf[01-64]", `spine[01-16]:swp[1-32]`,
			`spine[01-16]:swp[1-64]`,
		}},
		"three-tier": {"core", []string{
			"gpu[001-512]", "gpu[0001-1024]", "p[01-16]", "p[01-32]", list("p", 16), list("p", 32),
			`core[01-16]:swp[1-32]`, `core[01-16]:swp[1-64]`,
		}},
		"rail": {"", []string{
			"gpu[001-256]", "gpu[001-512]", `rail${each.key}:swp[1-32]"`, `rail${each.key}:swp[1-32]s[0-1]"`,
			"speed  = \"400G\"\n  length = \"30m\"", "speed  = \"800G\"\n  length = \"30m\"",
		}},
		"mlag-rack": {"spine", []string{
			"gpu[001-256]", "gpu[001-512]", "rack[01-16]", "rack[01-32]", list("rack", 16), list("rack", 32),
			`spine[1-8]:swp[1-32]`, `spine[1-8]:swp[1-64]`,
		}},
	} {
		s, ok := FindShape(shape)
		require.True(t, ok)
		require.Contains(t, s.More, c.upmost)
		require.Contains(t, s.More, "nodesets")
		files := Shaped(s, s.Most, System{OS: targets.Known.DefaultOS()})
		for i, f := range files {
			if f.Name != "devices.hcl" && f.Name != "cabling.hcl" && f.Name != "fabric.hcl" {
				continue
			}
			text := strings.NewReplacer(c.wider...).Replace(string(f.Data))
			if f.Name == "devices.hcl" && c.upmost != "" {
				require.Contains(t, s.More, "sn4600c")
				block := regexp.MustCompile(`(switch "(?:[ab]-)?` + c.upmost + `" \{[^}]*model +=) "sn2700"`)
				require.Regexp(t, block, text, shape)
				text = block.ReplaceAllString(text, `$1 "sn4600c"`)
			}
			files[i].Data = []byte(text)
		}
		j := judged(t, files)
		v, why := verdict(j)
		require.NotEmpty(t, v, "%s: %s", shape, why)
		for one := range strings.SplitSeq(v, ", ") {
			require.Equal(t, "free", one, shape)
		}
		for _, d := range j.Diags {
			require.Greater(t, d.Severity, diag.Warning, "%s: %s %s: %s", shape, d.At, d.Code, d.Detail)
		}
		hosts := 0
		for _, d := range j.Fabric.Devices {
			if d.Host != nil {
				hosts++
			}
		}
		require.Equal(t, 2*s.Most, hosts, shape)
	}
}
