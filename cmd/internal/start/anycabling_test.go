package start

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// anyCabling draws a sheet of cables between devices with all kinds of names. The ports have the names of several systems.
func anyCabling(t *rapid.T) string {
	ports := []func(int) string{
		func(n int) string { return fmt.Sprintf("swp%d", n) },
		func(n int) string { return fmt.Sprintf("swp%ds%d", 1+n/4, n%4) },
		func(n int) string { return fmt.Sprintf("Ethernet%d", 4*(n-1)) },
		func(n int) string { return fmt.Sprintf("eth%d", n) },
		func(n int) string { return fmt.Sprintf("ens%df0", n) },
		func(n int) string { return fmt.Sprintf("rail%d", n) },
		func(n int) string { return fmt.Sprintf("e1-%d", n) },
		func(n int) string { return fmt.Sprintf("GigabitEthernet0/0/0/%d", n) },
		func(n int) string { return fmt.Sprintf("Ethernet1/%d", n) },
		func(n int) string { return fmt.Sprintf("%d/1/c%d", n, n) },
	}
	stems := []string{
		"leaf", "spine", "core", "gpu", "h100-", "SRV", "r", "x", "fw", "pe", "oob-sw", "rack1-tor-", "dev-msn2700-", "NOTHING",
		"superspine", "a.b-",
	}
	type dev struct {
		name string
		port func(int) string
		used int
	}
	var devs []*dev
	seen := map[string]bool{}
	for range rapid.IntRange(2, 14).Draw(t, "devices") {
		d := &dev{
			name: rapid.SampledFrom(stems).Draw(t, "stem") + fmt.Sprint(rapid.IntRange(1, 9).Draw(t, "number")),
			port: rapid.SampledFrom(ports).Draw(t, "ports"),
		}
		if low := strings.ToLower(d.name); !seen[low] {
			seen[low] = true
			devs = append(devs, d)
		}
	}
	var b strings.Builder
	b.WriteString("a_device,a_port,b_device,b_port,speed\n")
	speeds := []string{"", "", "", "25G", "100G", "400G"}
	for range rapid.IntRange(1, 30).Draw(t, "cables") {
		x, y := rapid.SampledFrom(devs).Draw(t, "a"), rapid.SampledFrom(devs).Draw(t, "b")
		x.used++
		p := x.port(x.used)
		y.used++
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s\n", x.name, p, y.name, y.port(y.used), rapid.SampledFrom(speeds).Draw(t, "speed"))
	}
	return b.String()
}

// A draft of any cabling ends in a verdict or in one message.
func TestAnyCabling(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sheet := anyCabling(rt)
		on := System{}
		if rapid.Bool().Draw(rt, "os") {
			on.OS = rapid.SampledFrom(targets.Known.OS).Draw(rt, "system")
		}
		made, ds := draftOf(t, "csv", "cables.csv", []byte(sheet), on)
		if ds.HasErrors() {
			require.Len(rt, ds, 1, sheet)
			return
		}
		v, why := verdict(judged(t, made.Files))
		require.NotEmpty(rt, v, "%s\n%s\n%s\n%s", why, sheet, made.Files[1].Data, made.Files[2].Data)
	})
}

// Any text becomes a fabric that the language reads, or a message, and never causes a panic.
func FuzzDraft(f *testing.F) {
	files, err := filepath.Glob("testdata/drafts/*")
	require.NoError(f, err)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(f, err)
		kind, _, _ := strings.Cut(filepath.Base(file), "-")
		f.Add(formats[kind], string(src))
	}
	f.Fuzz(func(t *testing.T, format, text string) {
		if !slices.Contains(slices.Collect(maps.Values(formats)), format) {
			return
		}
		made, ds := draftOf(t, format, "cables", []byte(text), System{})
		if ds.HasErrors() {
			return
		}
		fsys := fstest.MapFS{}
		for _, f := range made.Files {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		_, ds = lang.Load(fsys, ".", lang.Options{})
		for _, d := range ds {
			// these three codes are about values of a cable, which the draft takes from the cabling file
			if d.Severity == diag.Error && d.Code != "wrong-unit" && d.Code != "out-of-range" && d.Code != "wrong-type" {
				t.Fatalf("%s %s: %s\n%s", d.At, d.Code, d.Detail, made.Files[2].Data)
			}
		}
	})
}
