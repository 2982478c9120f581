package commands_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
)

func TestValidPath(t *testing.T) {
	for _, path := range []string{"/etc/a", "/etc/a b/c.conf"} {
		require.True(t, commands.ValidPath(path, false), path)
		require.False(t, commands.ValidPath(path, true), path)
	}
	require.True(t, commands.ValidPath("nic/ens1f0", true))
	bad := []string{"", "/", "etc/a", "/etc/../a", "/etc//a", "/etc/a/", "/etc/a\nb", "/etc/\033a", "/" + strings.Repeat("a", 5000)}
	for _, path := range bad {
		require.False(t, commands.ValidPath(path, false), "%.40q", path)
	}
	require.False(t, commands.ValidPath("../a", true))
	require.True(t, commands.ValidSum(commands.SumOf([]byte("a"))) && commands.ValidSum(commands.Absent))
	sum := commands.SumOf([]byte("a"))
	for _, sum := range []string{"", "a", strings.ToUpper(commands.SumOf(nil)) + "x", strings.ToUpper(sum), sum + "a", "link"} {
		require.False(t, commands.ValidSum(sum), sum)
	}
}
