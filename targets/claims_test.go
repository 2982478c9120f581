package targets_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// claimed returns the claims of a rack's switch for each release at which they change, and the claims of its hosts.
func claimed(t *testing.T) map[string][]target.Claim {
	out := map[string][]target.Claim{}
	for _, version := range []string{
		"3.1.1", "3.4.3", "3.5.0", "3.7.16", "4.0.1", "4.1.1", "4.2.0", "4.3.0", "4.4.0", "5.3.0",
		"5.4.0", "5.9.1", "5.15.0", "5.17.0", "202205", "202505", "202511",
	} {
		s := clos{leaves: 1, spines: 1, hosts: 1, model: "sn2700", version: version, v2: true}
		tree, _ := targets.Render(s.compile(t))
		for _, d := range tree.Devices {
			out[d.Target.Name+" "+version] = d.Target.Claims(d.Source)
		}
	}
	return out
}

// writes matches the commands of claims that would change a device.
var writes = regexp.MustCompile(`\bnv (set|unset|action)\b|nv config (apply|save|patch|replace|attach|detach|delete)|-A |--pause|\bset\b|[^2<]>[^&]|` +
	`\b(rm|mv|cp|tee|mkdir|rmdir|touch|ln|systemctl|reboot|modprobe|kill)\b`)

// TestClaims: claims are complete, their names are unique on a device, and their commands change nothing.
func TestClaims(t *testing.T) {
	all := claimed(t)
	require.Contains(t, all, "nvue 5.17.0")
	require.Contains(t, all, "sonic 202511")
	require.Contains(t, all, "mlx5 3.4.3")
	for at, list := range all {
		require.NotEmpty(t, list, at)
		seen := map[string]bool{}
		for _, c := range list {
			assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)+$`, c.ID, at)
			assert.False(t, seen[c.ID], "%s: %s twice", at, c.ID)
			seen[c.ID] = true
			assert.True(t, strings.HasSuffix(c.Says, "."), "%s: %s", c.ID, c.Says)
			assert.NotEmpty(t, c.Source, c.ID)
			assert.False(t, strings.HasSuffix(c.Source, "."), "%s: %s", c.ID, c.Source)
			quiet := strings.NewReplacer("2>/dev/null", "", "<TAB>", "").Replace(c.Cmd)
			assert.NotRegexp(t, writes, quiet, c.ID)
			assert.NotNil(t, c.Judge, c.ID)
		}
	}
}

// TestClaimsOwn: if the command of a claim reads a file that rocec writes, Own is set.
func TestClaimsOwn(t *testing.T) {
	for _, version := range []string{"3.4.3", "4.1.1", "4.3.0", "5.3.0", "5.17.0", "202511"} {
		s := clos{leaves: 1, spines: 1, hosts: 1, model: "sn2700", version: version, v2: true}
		tree, _ := targets.Render(s.compile(t))
		for _, d := range tree.Devices {
			for _, c := range d.Target.Claims(d.Source) {
				for _, f := range d.Files {
					if strings.HasPrefix(f.Path, "/") && strings.Contains(c.Cmd, f.Path) {
						assert.True(t, c.Own, "%s %s: %s reads %s", d.Target.Name, version, c.ID, f.Path)
					}
				}
			}
		}
	}
}

// TestClaimsLaw: for every answer of a device, the verdict is one of three.
func TestClaimsLaw(t *testing.T) {
	all := claimed(t)
	word := rapid.SampledFrom([]string{
		"\n", " ", ":", `"`, "{", "}", "= ", "#", "10", "1", "enable", "state", `"state": "on"`, `"headroom": `, "HwIf", "status 0", "usage",
		"file",
		"cable_length = 10", "- set:", "interface\n", "[{", "\x00", "\xff", "traffic.", "ecn.", `"cable-length": 10`,
		"'speed': ", "BUFFER_PG_TABLE:", "Ethernet0", ":3-4", "asic_type:", `"lanes":`, `    "PORT": `, "WRED_PROFILE", "100000 5m", " 0",
	})
	for at, list := range all {
		for _, c := range list {
			assert.Equal(t, target.NotDecided, c.Judge(nil), "%s: %s", at, c.ID)
			assert.Equal(t, target.NotDecided, c.Judge([]byte("sh: nv: not found\n(exit status 127)\n")), "%s: %s", at, c.ID)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		answer := []byte(strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "answer"), ""))
		for _, list := range all {
			for _, c := range list {
				require.Contains(t, []target.Verdict{target.Holds, target.DoesNotHold, target.NotDecided}, c.Judge(answer))
			}
		}
	})
}

// TestClaimsOfJoined: on a host with NICs of several families, questions about the host are asked once.
func TestClaimsOfJoined(t *testing.T) {
	d := &ir.Device{Name: "h"}
	claim := func(ids ...string) func(*ir.Device) []target.Claim {
		return func(*ir.Device) (out []target.Claim) {
			for _, id := range ids {
				out = append(out, target.Claim{ID: id})
			}
			return out
		}
	}
	var got []string
	for _, c := range target.Join(&target.Target{Claims: claim("host-a", "x-b")}, &target.Target{},
		&target.Target{Claims: claim("host-a", "y-c")}).Claims(d) {
		got = append(got, c.ID)
	}
	assert.Equal(t, []string{"host-a", "x-b", "y-c"}, got)
}
