package targets_test

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets"
)

// TestNICPartNumbers: each part number has one model, and every pattern matches some part number.
func TestNICPartNumbers(t *testing.T) {
	used := map[string]bool{}
	for number, want := range map[string]string{
		"MCX311A-XCAT": "connectx-3", "MCX312B-XCBT": "connectx-3", "MCX354A-FCBT": "connectx-3", "MCX354A-QCBT": "connectx-3",
		"MCX342A-XCCN": "connectx-3",
		"MCX311A-XCCT": "connectx-3-pro", "MCX312C-XCCT": "connectx-3-pro", "MCX354A-FCCT": "connectx-3-pro", "MCX341A-XCPN": "connectx-3-pro",
		"MCX345A-BCQN": "connectx-3-pro", "MCX414A-BCAT": "connectx-4", "MCX416A-CCAT": "connectx-4", "MCX455A-ECAT": "connectx-4",
		"MCX4121A-ACAT": "connectx-4-lx", "MCX4131A-GCAT": "connectx-4-lx", "MCX4431M-GCAN": "connectx-4-lx", "mcx4621a-acab": "connectx-4-lx",
		"MCX512A-ACAT": "connectx-5", "MCX516A-CDAT": "connectx-5", "MCX556A-EDAT": "connectx-5", "MCX542B-ACAN": "connectx-5",
		"MCX556M-ECAT-S25": "connectx-5",
		"MCX653106A":       "connectx-6", "MCX653106A-HDAT": "connectx-6", "Mellanox MCX653105A-ECAT": "connectx-6",
		"MCX613106A-VDAT": "connectx-6",
		"MCX654106A-HCAT": "connectx-6", "MCX653436A-HDAB": "connectx-6", "MCX623106AN-CDAT": "connectx-6-dx",
		"MCX621102AC-ADAT": "connectx-6-dx",
		"MCX631102AN-ADAT": "connectx-6-lx", "MCX75310AAS-NEAT": "connectx-7", "MCX713106AC-VEAT": "connectx-7", "MCX755106AS-HEAT": "connectx-7",
		"900-9X81E-00EX-DT0": "connectx-8", "MBF2H516A-CENOT": "bluefield-2", "MBF2M332A-AEEOT": "bluefield-2",
		"900-9D3B6-00CV-AA0": "bluefield-3",
		"BCM957414A4142CC":   "bcm57414", "BCM957508-P2100G": "bcm57508", "BCM957608-P1400GDF00": "bcm57608", "E810-CQDA2": "e810",
		"E810CQDA1":   "e810",
		"E810-2CQDA2": "e810", "E8102CQDA2": "e810", "BCM957416A4160C": "bcm57416", "BCM957454A4540C": "bcm57454", "BCM957504-P425G": "bcm57504",
		"E810-XXVDA4": "e810-xxv", "E810XXVDA2": "e810-xxv", "E830-CQDA2": "e830", "E830CQDA2": "e830", "E830-XXVDA4": "e830-xxv",
		"E830XXVDA2": "e830-xxv", "QL41262HLCU": "fastlinq-41000", "QL45611HLCU": "fastlinq-45000",
	} {
		m := targets.Known.FindNICOrder(number)
		if assert.NotNil(t, m, number) {
			assert.Equal(t, want, m.Name, number)
		}
		assert.Nil(t, targets.Known.FindNIC(number), "%s is also a name", number)
		for _, d := range targets.Known.Drivers {
			for _, o := range d.Models {
				assert.Equal(t, o == m, platform.Ordered(number, o.Parts), "%s: %s", number, o.Name)
				for _, p := range o.Parts {
					used[p] = used[p] || platform.Ordered(number, []string{p})
				}
			}
		}
	}
	for _, none := range []string{"", "*", "MCX", "MCX354A", "MCX354A-XXXX", "MCX683105AN-HDAT", "connectx-5", "900-9X91E-00EB-STA", "E810"} {
		assert.Nil(t, targets.Known.FindNICOrder(none), none)
	}
	near := 0
	for _, d := range targets.Known.Drivers {
		for _, m := range d.Models {
			if platform.NearlyOrdered("MCX354A", m.Parts) != nil {
				near++
			}
			for _, p := range m.Parts {
				_, err := path.Match(p, "x")
				require.NoError(t, err, p)
				assert.True(t, used[p], "%s matches none of the part numbers above", p)
			}
		}
	}
	assert.Equal(t, 2, near, "a ConnectX-3 or a ConnectX-3 Pro")
}
