package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// TestHides: the text contains no name, address or serial number of a device, whatever the devices are called and whatever they answer.
func TestHides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{3,6}-?[0-9]{2,3}q`)
		secrets := map[string]bool{}
		secret := func(g *rapid.Generator[string], what string) string {
			s := g.Draw(t, what)
			secrets[s] = true
			return s
		}
		mask := &mask.Mask{}
		b := &Bundle{Tool: "1.0"}
		var all []string
		for range rapid.IntRange(1, 3).Draw(t, "devices") {
			d := &ir.Device{Name: secret(name, "name"), Host: &ir.Host{}}
			d.SSH.Address = secret(name, "address") + "." + secret(name, "domain") + ".example"
			d.SSH.User = rapid.SampledFrom([]string{"cumulus", secret(name, "user")}).Draw(t, "who")
			d.SSH.Jump = secret(name, "jumper") + "@" + secret(name, "jump")
			word := knowDevice(mask, d)
			of := &target.Device{Name: d.Name, Source: d, Target: &target.Target{Name: "mlx5", User: "cumulus"}}
			host, login := secret(name, "host"), secret(name, "login")
			serial := secret(rapid.StringMatching(`[A-Z]{2}[0-9]{4}[A-Z][0-9]{5}`), "serial")
			facts := readFacts(fmt.Appendf(nil, "host %s\nhost %s.lan\nuser %s\nserial %s\nmac 0c:42:a1:00:00:01\nend\n", host, host, login, serial))
			facts.know(mask, word)
			all = append(all, d.SSH.Address, host, login, serial, d.Name, d.SSH.User, "0c:42:a1:00:00:01", "0c42a1000001", "root", "cumulus")
			asked := &Asked{of: of, facts: facts, claims: []target.Claim{{ID: "a-b", Says: "x", Query: target.Query{Cmd: "cat x"}}}}
			var text strings.Builder
			for range rapid.IntRange(0, 6).Draw(t, "words") {
				end := rapid.SampledFrom([]string{" ", "\n", ":", "=", "/", "_", "\"", "\x1b"})
				text.WriteString(rapid.SampledFrom(all).Draw(t, "word") + end.Draw(t, "end"))
			}
			asked.answers = [][]byte{[]byte(text.String())}
			s := &Section{Word: word, Targets: []string{"mlx5"}, System: facts.system}
			s.Answers = append(s.Answers, Answer{Claim: asked.claims[0], Text: asked.answers[0]})
			b.Devices = append(b.Devices, s)
		}
		got := strings.ToLower(b.Text(mask))
		for s := range secrets {
			require.NotContains(t, got, strings.ToLower(s))
		}
		require.Contains(t, mask.Text("/etc/cumulus/x"), "/etc/cumulus/x", "a factory login does not identify a person")
		require.NotContains(t, got, "0c42a1000001")
		require.NotContains(t, got, "0c:42:a1")
		require.NotContains(t, got, "\x1b")
	})
}

// rocec reads what a device reports about itself. A device without a readable answer is left out.
func TestReadFacts(t *testing.T) {
	t.Parallel()
	f := readFacts([]byte("host leaf01\nhost leaf01.dc.example\ndomain dc.example\nuser ops\nserial MT1\nmac 00:11:22:33:44:55\n" +
		"system \"Cumulus Linux\"\nkernel 5.10\nend\n"))
	assert.Equal(t, deviceFacts{
		whole: true, hosts: []string{"leaf01", "leaf01.dc.example"}, domains: []string{"dc.example"}, users: []string{"ops"},
		serials: []string{"MT1"},
		macs:    []string{"00:11:22:33:44:55"}, system: "Cumulus Linux, kernel 5.10",
	}, f)
	for _, half := range []string{"", "host leaf01\n", "end\n", "host a\nend\nhost b", "sh: uname: not found\nend\n"} {
		assert.False(t, readFacts([]byte(half)).whole, half)
	}
}

// TestFirmware: a release of firmware with four numbers is no address, and other texts are masked.
func TestFirmware(t *testing.T) {
	t.Parallel()
	m := &mask.Mask{}
	m.KnowAs(mask.Device, "gpu01")
	for in, want := range map[string]string{
		"":                                    "",
		"22.41.1000":                          "22.41.1000",
		"233.2.77.9, 1.71":                    "233.2.77.9, 1.71",
		"4.40 0x8001c7d4 of gpu01":            "4.40 0x8001c7d4 of device-1",
		"233.2.77.9 10.1.2.3, fe80::1, gpu01": "addr-1 addr-2, addr-3, device-1",
	} {
		assert.Equal(t, want, firmwareText(m, in), in)
	}
}

// TestWrote: the record of runs, the name of rocec, and content that needs no edit each show that rocec wrote the device.
func TestWrote(t *testing.T) {
	t.Parallel()
	edit := func(old []byte) ([]byte, diag.List) {
		if strings.Contains(string(old), "odd") {
			return nil, diag.List{{Severity: diag.Error}}
		}
		return []byte("a = 1\n"), nil
	}
	for name, c := range map[string]struct {
		count int
		data  []byte
		want  bool
	}{
		"nothing there":     {0, nil, false},
		"of the factory":    {0, []byte("a = 2\n"), false},
		"not to be edited":  {0, []byte("odd\n"), false},
		"a run":             {1, []byte("a = 2\n"), true},
		"runs not seen":     {-1, nil, true},
		"built and copied":  {0, []byte("a = 1\n"), true},
		"of another fabric": {0, []byte("# written by rocec\na = 2\n"), true},
	} {
		of := &target.Device{Files: []target.File{{Path: "/a", Edit: edit}}, Target: &target.Target{}, Source: &ir.Device{Host: &ir.Host{}}}
		have := &deploy.Have{Device: of, Count: c.count, Files: []deploy.Content{{Data: c.data}}}
		asked := &Asked{of: of, facts: deviceFacts{whole: true}, answers: [][]byte{nil, nil, nil}}
		for _, claim := range []target.Claim{{ID: "own", Own: true}, {ID: "other"}, {ID: "open", Own: true}} {
			claim.Judge = func([]byte) target.Verdict { return target.Decide(claim.ID != "open", false) }
			asked.claims = append(asked.claims, claim)
		}
		own := target.DoesNotHold
		if c.want {
			own = target.Echo
		}
		var got []target.Verdict
		section := asked.section("device-1", have)
		section.decide(&mask.Mask{})
		for _, a := range section.Answers {
			got = append(got, a.Verdict)
		}
		assert.Equal(t, []target.Verdict{own, target.DoesNotHold, target.NotDecided}, got, name)
	}
}
