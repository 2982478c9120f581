package destination_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/destination"
)

func TestJump(t *testing.T) {
	type hops = []destination.Hop
	for in, want := range map[string]hops{
		"none":                              nil,
		"bastion":                           {{"", "bastion", ""}},
		"ops@bastion_1.example.net:2222":    {{"ops", "bastion_1.example.net", "2222"}},
		"a,ops@b:22,192.0.2.1":              {{"", "a", ""}, {"ops", "b", "22"}, {"", "192.0.2.1", ""}},
		"alice@corp.example@bastion":        {{"alice@corp.example", "bastion", ""}},
		"ops@[2001:db8::1]:22":              {{"ops", "2001:db8::1", "22"}},
		"a , b":                             {{"", "a", ""}, {"", "b", ""}},
		"2001:db8::1":                       {{"", "2001:db8::1", ""}},
		"[fe80::1%eth0.7]":                  {{"", "fe80::1%eth0.7", ""}},
		strings.Repeat("a,", 7) + "b":       append(slices.Repeat(hops{{"", "a", ""}}, 7), destination.Hop{Host: "b"}),
		strings.Repeat("x", 253) + ":65535": {{"", strings.Repeat("x", 253), "65535"}},
	} {
		got, why := destination.Jump(in)
		require.Empty(t, why, in)
		require.Equal(t, want, got, in)
	}
	for in, want := range map[string]string{
		"":                             "the host is empty",
		"-oProxyCommand=sh":            "begins with",
		"a,-oProxyCommand":             "begins with",
		"ops@-oProxyCommand":           "begins with",
		"-l@bastion":                   "begins with",
		"-Fx@a,b":                      "begins with",
		"a b":                          "has letters",
		"a,,b":                         "the host is empty",
		"a,":                           "the host is empty",
		"@a":                           "the user is empty",
		"ops@":                         "the host is empty",
		"host:99999":                   "1 to 65535",
		"host:0":                       "1 to 65535",
		"host:+22":                     "1 to 65535",
		"host:22x":                     "1 to 65535",
		"host:":                        "1 to 65535",
		"host:-1":                      "1 to 65535",
		"[2001:db8::1]22":              "brackets",
		"[2001:db8::1":                 "brackets",
		"[2001:db8::1]:99999":          "1 to 65535",
		"2001:db8::1::2":               "IPv6",
		"fe80::1%$(reboot)":            "IPv6",
		"a%h":                          "has letters",
		"a;reboot":                     "has letters",
		"a\nb":                         "has letters",
		"o$ps@a":                       "a user has",
		"a,none":                       "cannot be combined with jump hosts",
		"ssh://a":                      "ports are",
		strings.Repeat("a,", 8) + "b":  "more than 8",
		strings.Repeat("a", 254):       "longer than",
		strings.Repeat("a", 65) + "@b": "longer than",
	} {
		_, why := destination.Jump(in)
		require.Contains(t, why, want, "%q", in)
	}
}

func TestCheckHost(t *testing.T) {
	for _, good := range []string{"leaf01", "_leaf", "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "::1", "a.b-c_d"} {
		require.Empty(t, destination.CheckHost(good), good)
	}
	require.Equal(t, "the port belongs in a separate attribute: port = 22", destination.CheckHost("leaf01:22"))
	for _, bad := range []string{"", "-leaf01", "leaf01:", "leaf01:x", "a b", "a%b", "[::1]", "user@leaf01", "a'b", "\u202eleaf"} {
		require.NotEmpty(t, destination.CheckHost(bad), bad)
	}
}

// No accepted text becomes an option of ssh, or more than one word.
func FuzzJump(f *testing.F) {
	for _, s := range []string{"a", "ops@b:22,[::1]:3", "-o", "a,-b", "none"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		hops, why := destination.Jump(s)
		if why != "" {
			require.Empty(t, hops)
			return
		}
		require.LessOrEqual(t, len(hops), destination.MaxHops)
		require.False(t, strings.ContainsAny(s, "\t\r\n'\"`$\\;&<>|(){}*?!#"))
		for _, h := range hops {
			for _, part := range []string{h.User, h.Host, h.Port} {
				require.NotContains(t, part, " ")
				require.False(t, strings.HasPrefix(part, "-"), s)
			}
		}
	})
}
