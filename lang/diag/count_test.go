package diag

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "0 links", Count(0, "link"))
	assert.Equal(t, "1 switch", Count(1, "switch"))
	assert.Equal(t, "2 switches", Count(2, "switch"))
	assert.Equal(t, "1,024 hosts", Count(1024, "host"))
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 131_328: "131,328", 1_000_000: "1,000,000", -999: "-999", -1000: "-1,000"} {
		assert.Equal(t, want, Number(n))
	}
}
