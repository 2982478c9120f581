package steps_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/cumulus/steps"
)

// TestNames: each name makes what has that name, and any other name is unknown.
func TestNames(t *testing.T) {
	for _, name := range []string{"restart", "reload", "reload-unit"} {
		made, err := steps.Recall([]string{name}, []byte("ignored"))
		require.NoError(t, err)
		require.Equal(t, "cumulus "+name, made.Name())
	}
	for _, c := range []steps.Checker{steps.Traffic, steps.Features, steps.Infra} {
		made, err := steps.Recall(strings.Split(c.Name, " ")[1:], nil)
		require.NoError(t, err)
		require.Equal(t, &commands.Made{Check: c.Cmd}, made)
	}
	for _, words := range [][]string{nil, {""}, {"restart", ""}, {"restart", "x"}, {"Restart"}, {"check-"}, {"restart; reboot"}} {
		_, err := steps.Recall(words, nil)
		require.ErrorAs(t, err, new(*commands.Unknown), "%q", words)
	}
}

// TestFile: a file has one of the paths, and a text of limited size.
func TestFile(t *testing.T) {
	for _, path := range steps.Paths {
		require.NoError(t, steps.File(path, nil))
		require.NoError(t, steps.File(path, []byte("# “timers”, d\xe9j\xe0 vu\n\ta = 7 # mine\r\n")))
		require.NoError(t, steps.File(path, bytes.Repeat([]byte("a"), steps.MaxFile)))
		require.EqualError(t, steps.File(path, bytes.Repeat([]byte("a"), steps.MaxFile+1)), "its content is larger than 1 MiB")
		for _, bad := range []string{"\x00", "a\x1b[31m", "a\x7f", "\x08"} {
			require.EqualError(t, steps.File(path, []byte(bad)), "its content is no text")
		}
		for _, other := range []string{path + "/", path + ".rocec", "/" + path, "/etc/.." + path, strings.ToUpper(path), path + "\n"} {
			require.EqualError(t, steps.File(other, nil), "rocec writes no such file", other)
		}
	}
	assert.Error(t, steps.File("", nil))
	assert.Error(t, steps.File("/etc/passwd", []byte("root::0:0::/:/bin/sh\n")))
}
