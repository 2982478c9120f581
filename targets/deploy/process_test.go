package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcess(t *testing.T) {
	for text, want := range map[string]Process{
		"alice@ws7, process 4711":          {"alice", "ws7", 4711},
		"alice@example.org@ws7, process 1": {"alice@example.org", "ws7", 1},
		"alice, process 4711":              {"alice", "", 4711},
	} {
		p, ok := ParseProcess(text)
		require.True(t, ok, text)
		require.Equal(t, want, p)
		require.Equal(t, text, p.String())
	}
	for _, text := range []string{
		"", "alice@ws7", "alice@ws7, process", "alice@ws7, process x", "alice@ws7, process 0", "alice@ws7, process -1",
	} {
		_, ok := ParseProcess(text)
		require.False(t, ok, text)
	}
}
