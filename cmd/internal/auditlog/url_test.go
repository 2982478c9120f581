package auditlog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParse accepts the URLs of the five forms, and refuses any other text in a message with an example.
func TestParse(t *testing.T) {
	for _, text := range []string{
		"syslog+udp://logs.example.net:514", "syslog+tcp://10.0.0.1:601", "syslog+tcp://[2001:db8::1]:601", "syslog+unix:///dev/log",
		"json+tcp://localhost:9000", "json+unix:///run/log_1.sock", "json+tcp://logs.example.net.:1",
	} {
		u, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, text, u.String())
	}
	for text, want := range map[string]string{
		"":                               "is no URL of a central record",
		"logs.example.net:514":           "is no URL of a central record",
		"udp://logs.example.net:514":     "is no URL of a central record",
		"json+udp://logs.example.net:1":  "is no URL of a central record",
		"syslog+tcp://logs.example.net":  "has no host with a port. Write one such as syslog+tcp://logs.example.net:601",
		"syslog+tcp://:601":              "has no host with a port",
		"syslog+tcp://logs:0":            "has no host with a port",
		"syslog+tcp://logs:65536":        "has no host with a port",
		"syslog+tcp://logs:syslog":       "has no host with a port",
		"syslog+tcp://alice@logs:601":    "has no host with a port",
		"syslog+tcp://logs:601/path":     "has no host with a port",
		"syslog+tcp://2001:db8::1:601":   "has no host with a port",
		"syslog+tcp://-logs:601":         "has no host with a port",
		"syslog+unix://dev/log":          "has no path of a socket",
		"syslog+unix://":                 "has no path of a socket",
		"json+unix:///run/a b":           "has no path of a socket",
		"json+unix:///run/a\x00b":        "has no path of a socket",
		"json+unix:///" + longText(200):  "at most 103 bytes",
		"syslog+tcp://" + longText(5000): "has no host with a port",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
		require.Less(t, len(err.Error()), 700)
		require.Error(t, new(URL).Set(text))
	}
}

func longText(n int) string { return strings.Repeat("a", n) }
