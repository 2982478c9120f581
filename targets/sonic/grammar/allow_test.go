package grammar

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operation reads `add /PFC_WD/GLOBAL {"POLL_INTERVAL":"200"}`.
func operation(t *testing.T, text string) Operation {
	t.Helper()
	kind, rest, _ := strings.Cut(text, " ")
	path, value, has := strings.Cut(rest, " ")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	o := Operation{Kind: Kind(kind), Table: parts[0]}
	if len(parts) > 1 {
		o.Row = parts[1]
	}
	if len(parts) > 2 {
		o.Field = parts[2]
	}
	if !has {
		return o
	}
	switch {
	case o.Field != "":
		var s string
		require.NoError(t, json.Unmarshal([]byte(value), &s))
		o.Value = one(s)
	case o.Row != "":
		var m map[string]string
		require.NoError(t, json.Unmarshal([]byte(value), &m))
		o.Value = Rows{"": m}
	default:
		require.NoError(t, json.Unmarshal([]byte(value), &o.Value))
	}
	return o
}

// familiesIn returns the families that a branch knows, and one that it does not know.
func familiesIn(r Release) []Family {
	out := []Family{"cisco-8000", "unknown"}
	for _, k := range families {
		if r >= k.since && !slices.Contains(out, k.family) {
			out = append(out, k.family)
		}
	}
	if r >= 202511 {
		out = append(out, "marvell-teralynx")
	}
	return out
}

// TestAllowed compares the verdict on every operation, by release, chip and date, with the code of each branch.
func TestAllowed(t *testing.T) {
	f, err := os.Open("testdata/allowed.txt")
	require.NoError(t, err)
	defer f.Close()
	count, seen := 0, map[Release]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		parts := strings.Split(lines.Text(), " | ")
		if strings.HasPrefix(parts[0], "#") {
			continue
		}
		require.Len(t, parts, 4)
		op := operation(t, parts[0])
		for release := range strings.FieldsSeq(parts[2]) {
			n, err := strconv.Atoi(release)
			require.NoError(t, err)
			for date := range strings.SplitSeq(parts[1], ",") {
				for _, family := range familiesIn(Release(n)) {
					b := Box{Version: Version{Release: Release(n), Date: strings.Trim(date, "-")}, Family: family, HwSKU: "X"}
					if family == "unknown" {
						b.Family = ""
					}
					want := parts[3] == "all" || slices.Contains(strings.Fields(parts[3]), string(family))
					v := b.Allowed(op)
					if !assert.Equal(t, want, v.Allowed, "%s %s %s %s: %s", release, date, family, parts[0], v.Reason) {
						return
					}
					if !want {
						require.NotEmpty(t, v.Reason)
						require.NotEmpty(t, v.Instead)
						require.True(t, strings.HasSuffix(v.Reason, "."), v.Reason)
					}
					count++
					seen[Release(n)]++
				}
			}
		}
	}
	for _, r := range Releases {
		require.Greater(t, seen[r], 1000, "%s", r)
	}
	t.Logf("%d verdicts", count)
}

func TestFamilyOf(t *testing.T) {
	for _, c := range []struct {
		release     Release
		asic, hwsku string
		want        Family
	}{
		{202205, "mellanox", "ACS-MSN2700", "spc1"},
		{202205, "mellanox", "acs-msn2700", "spc1"},
		{202205, "mellanox", "Mellanox-SN2700-C28D8", ""}, // added in 202305
		{202305, "mellanox", "Mellanox-SN2700-C28D8", "spc1"},
		{202505, "mellanox", "ACS-MSN4700-X", ""}, // the whole name must match
		{202505, "mellanox", "ACS-SN6600_LD", ""},
		{202605, "mellanox", "ACS-SN6600_LD", ""}, // spc6 is in the table of 202605, but the code of that branch does not look it up
		{202411, "mellanox", "ACS-SN5640", ""},    // the same holds for spc5 in 202411
		{202505, "mellanox", "ACS-SN5640", "spc5"},
		{202505, "broadcom", "ACS-MSN2700", ""},
		{202505, "broadcom", "Arista-7050CX3-32S-C32", "td3"},
		{202505, "broadcom", "X-arista-7050cx3-32s-c32-Y", "td3"}, // a part of the name matches
		{202505, "broadcom", "DellEMC-S5232f-C32", ""},
		{202511, "broadcom", "Arista-7260CX3-Q44", "th2"},
		{202605, "broadcom", "Arista-7260CX3-Q44", ""}, // gone again
		{202505, "cisco-8000", "", "cisco-8000"},
		{202505, "marvell-teralynx", "x", ""},
		{202511, "marvell-teralynx", "x", "marvell-teralynx"},
		{202505, "vs", "Force10-S6000", "td2"},
		{202505, "vs", "ACS-MSN2700", "spc1"},
		{202505, "", "ACS-MSN2700", ""},
	} {
		assert.Equal(t, c.want, FamilyOf(c.release, c.asic, c.hwsku), "%v", c)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"202505":                       {202505, ""},
		"202505.12":                    {202505, ""},
		"SONiC.202505.12-cf1a8c4":      {202505, ""},
		"SONiC-OS-202405.7-1":          {202405, ""},
		"20230531.19":                  {202305, "20230531"},
		"SONiC.20231105.19":            {202311, "20231105"},
		"202605_custom":                {202605, ""},
		"SONiC.202511.20251230.1-dirt": {202511, "20251230"},
	} {
		v, err := ParseVersion(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, v, text)
	}
	for _, text := range []string{
		"", "master", "SONiC.master.123-abc", "201911", "202211", "202506", "5.9.0", "2025.05", "20261131.1", "999999",
		strings.Repeat("2", 4096), "\x00", "SONiC.internal.12345678",
	} {
		_, err := ParseVersion(text)
		require.Error(t, err, text)
	}
}
