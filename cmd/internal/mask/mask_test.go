package mask

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"leaf01 LEAF01.dc1.example.net, leaf01_swp1": "device-1 device-1.name-1, device-1_swp1",
		"leaf011 xleaf01": "leaf011 xleaf01", // another word
		"mgmt-leaf01":     "device-1",        // the longest
		"ops@host":        "user-1@host",
		"10.1.2.3/24 10.1.2.3:22, 010.001.002.003.":                             "addr-1/24 addr-1:22, addr-2.",
		"300.1.2.3 5.12.0 1.2.3":                                                "300.1.2.3 5.12.0 1.2.3",
		"fe80::1%eth0 [2001:db8::7]:22 ::ffff:10.0.0.1.":                        "addr-1%eth0 [addr-2]:22 addr-3.",
		"swp1:fe80::1 addr:fe80::1: fe80::1/64":                                 "swp1:addr-1 addr:addr-1: addr-1/64",
		"0C:42:a1:00:00:01 0c-42-a1-00-00-01 0c42.a100.0001 0x0c42a10300000001": "addr-1 addr-2 addr-3 addr-4",
		"0c42:a103:0000:0001 b8cef6000001 123456789012":                         "addr-1 addr-2 123456789012",
		"0000:03:00.0 12:34:56 priority 3: 4":                                   "0000:03:00.0 12:34:56 priority 3: 4",
		"1b4e28ba-2fa1-11d2-883f-0016d3cca427":                                  "addr-1",
		`"serial-number": "MT1234X00001", Serial Number 0x23 24 ABC1234`:        `"serial-number": "serial-1", Serial Number 0x23 24 serial-2`,
		"hashed-password: '$6$rounds$xyz' community public1, password=\"a b\", token x": "hashed-password: 'secret-1' community secret-2, " +
			"password=\"secret-3\", token secret-4",
		"password: leaf01": "password: device-1",
		`{"SNMP_COMMUNITY": {"x": {}}, "token": null, "secret": ["a"], "community": {}}`: `{"SNMP_COMMUNITY": {"x": {}}, "token": null, ` +
			`"secret": ["a"], "community": {}}`,
		"userPassword: {SSHA}x": "userPassword: secret-1",
		"":                      "",
	} {
		m := &Mask{}
		d := m.Word(Device)
		m.Know("leaf01", d)
		m.Know("Mgmt-Leaf01", d)
		m.KnowAs(Name, "dc1.example.net")
		m.KnowAs(User, "ops")
		m.KnowAs(User, " ")
		assert.Equal(t, want, m.Text(in), in)
		assert.Equal(t, want, m.Text(in), "the same words again")
	}
}

// TestMaskLaw: in any context, masking replaces all known words and all addresses, and keeps all other text.
func TestMaskLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Mask{}
		name := rapid.StringMatching(`[a-z]{2,8}([-._]?[A-Za-z0-9]{1,4}){0,3}`)
		names := rapid.SliceOfN(name, 1, 6).Draw(t, "names")
		for _, n := range names {
			m.KnowAs(Device, n)
		}
		var b strings.Builder
		var gone []string
		between := rapid.SampledFrom([]string{" ", "\n", "\t", ",", "\"", "'", "=", "(", ")", "/", "|", "_", "@", "%", ";", " - "})
		for range rapid.IntRange(1, 20).Draw(t, "parts") {
			b.WriteString(between.Draw(t, "between"))
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				n := rapid.SampledFrom(names).Draw(t, "name")
				gone = append(gone, n)
				b.WriteString(rapid.SampledFrom([]string{n, strings.ToUpper(n)}).Draw(t, "case"))
			case 1:
				raw := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "v4")
				gone = append(gone, netip.AddrFrom4([4]byte(raw)).String())
				b.WriteString(gone[len(gone)-1])
			case 2:
				raw := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "v6")
				addr := netip.AddrFrom16([16]byte(raw))
				gone = append(gone, addr.String(), addr.StringExpanded())
				b.WriteString(rapid.SampledFrom(gone[len(gone)-2:]).Draw(t, "form"))
			case 3:
				mac := net.HardwareAddr(rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "mac")).String()
				gone = append(gone, mac)
				b.WriteString(rapid.SampledFrom([]string{mac, strings.ToUpper(mac), strings.ReplaceAll(mac, ":", "-")}).Draw(t, "form"))
			default:
				b.WriteString(rapid.SampledFrom([]string{"pfc.tx_enable", "0000:03:00.0", "[0,1]", "\xff", "…"}).Draw(t, "else"))
			}
		}
		got := m.Text(b.String())
		small := strings.ToLower(got)
		for _, g := range gone {
			g = strings.ToLower(g)
			for at := 0; ; {
				i := strings.Index(small[at:], g)
				if i < 0 {
					break
				}
				i += at
				word := i >= 1 && strings.HasPrefix(small[i+len(g):], "-") // a device called "device" or "addr": the word itself
				require.True(t, word || !alone(small, i, i+len(g)) || g == "device" || g == "addr", "%q is in %q, made from %q", g, got, b.String())
				at = i + 1
			}
		}
	})
}

// TestMaskHostile: masking long and odd texts ends quickly, also with 10,000 known names.
func TestMaskHostile(t *testing.T) {
	m := &Mask{}
	for i := range 10_000 {
		m.KnowAs(Device, fmt.Sprintf("leaf%05d", i))
	}
	for _, text := range []string{
		strings.Repeat("a:", 1<<16), strings.Repeat(":", 1<<16), strings.Repeat("1.", 1<<16), strings.Repeat("leaf0000 ", 1<<14),
		strings.Repeat("serial ", 1<<14), strings.Repeat("password=\"", 1<<14), string(make([]byte, 1<<16)),
	} {
		m.Text(text)
	}
	assert.Equal(t, "device-10000", m.Text("leaf09999"))
}
