package deploy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A description of a run survives formatting and parsing. Invalid parts count as missing.
func TestAbout(t *testing.T) {
	a := About{
		Fabric: "rack", Commit: "3b46bee0123456789+", Message: "ticket 4711", Undoes: "20261121t065136z-3f9a",
		Hold: 10 * time.Minute, Hooks: true,
		Devices: []string{"leaf01", "leaf02", "spine1"}, Device: "leaf01", Owner: "alice@ws7, process 4711", Wave: 2,
	}
	back := ParseAbout(a.Lines())
	a.Count = 3
	require.Equal(t, a, back)
	require.Equal(t, About{}, ParseAbout(About{}.Lines()))

	a.Message = "two\nlines \033[31m"
	require.Equal(t, `two lines \x1b[31m`, ParseAbout(a.Lines()).Message)
	many := About{}
	for i := range 1000 {
		many.Devices = append(many.Devices, fmt.Sprintf("name%dx%d", i*i, i*7))
	}
	back = ParseAbout(many.Lines())
	require.Less(t, len(many.Lines()), mostAbout)
	require.Equal(t, 1000, back.Count, "the text has the number, and not the names")
	require.Nil(t, back.Devices)
	for _, line := range []string{
		"commit $(id)", "undoes ../x", "hold 99999999999", "hold -1", "hold x", "wave 0", "wave 99999999", "devices 2 leaf[1-3]",
		"devices 99999999 leaf[1-99999999]", "devices 1 " + strings.Repeat("x", 3000), "other value", "", "hold",
	} {
		back := ParseAbout(line + "\n")
		back.Count = 0
		require.Equal(t, About{}, back, line)
	}
}

func TestParseAct(t *testing.T) {
	act := ParseAct("confirm 2026-11-21T06:51:36Z bob@ws2, process 12")
	require.Equal(t, "Confirmed by bob@ws2, process 12, at 2026-11-21T06:51:36Z by the clock of the device", act.String())
	for _, line := range []string{"", "confirm", "confirm now bob", "erase 2026-11-21T06:51:36Z bob", "confirm 2026-11-21T06:51:36Z"} {
		require.Empty(t, ParseAct(line).Who, line)
	}
	require.Equal(t, `b\x1bob`, ParseAct("undo 2026-11-21T06:51:36Z b\033ob").Who)
}
