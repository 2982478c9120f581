package topology

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a,b\nx:p,y:q", "x:p-y:q"},
		{"\ufeffA_Device;A Port;B-device;b_port\r\nx;p;y;q\r\n", "x:p-y:q"},
		{
			"b_port\ta_port\tnote\tb_device\ta_device\tspeed\tlength\tMTU\nq\tp\ta, b; c\ty\tx\t100G\t 3m \t9000\n",
			"x:p-y:q speed=100G length=3m mtu=9000",
		},
		{"# cables\n\n  # of pod 1\na, b, speed\n x:p , y:q ,\n\n,,\n# x:r,y:r,\nz:p,y:r\n", "x:p-y:q, z:p-y:r"},
		{"sep=;\na;b\nx:p;y:q\n", "x:p-y:q"},
		{"\"a\",\"b\",note\n\"x:p\",\"y:q\",\"5\"\" rack,\nthird row\"\nz:p, \"y:r\" ,\n", "x:p-y:q, z:p-y:r"},
		{"a,b_device,b_port,rack\nx:p,y,q\n", "x:p-y:q"},
		{"a,b,length\nx:p,y:q\nz:p,y:r,3m,,\n", "x:p-y:q, z:p-y:r length=3m"},
		{"a,b\nx:p:2,y:q\n", "x:p:2-y:q"},
		{"a,b,height\nx:p,y:q,5\"\n", "x:p-y:q"},
	} {
		edges, ds := readEdges("csv", "cables", []byte(c.text), many)
		require.Empty(t, ds, c.text)
		assert.Equal(t, c.want, strings.Join(show(edges), ", "), c.text)
		checkPlaces(t, []byte(c.text), edges, ds)
	}
}

func TestCSVPlaces(t *testing.T) {
	const text = "a_device,a_port,note,b_port,b_device\n\"leaf01\",swp1,x,swp2, spine01\n"
	edges, ds := readEdges("csv", "cables", []byte(text), many)
	require.Empty(t, ds)
	e := edges[0]
	slice := func(from, to int) string { return text[from:to] }
	assert.Equal(t, `"leaf01",swp1`, slice(e.A.At.Start.Byte, e.A.At.End.Byte))
	assert.Equal(t, `leaf01`, slice(e.A.DeviceAt.Start.Byte, e.A.DeviceAt.End.Byte))
	assert.Equal(t, `spine01`, slice(e.B.At.Start.Byte, e.B.At.End.Byte))
	assert.Equal(t, `swp2`, slice(e.B.PortAt.Start.Byte, e.B.PortAt.End.Byte))
	assert.Equal(t, `"leaf01",swp1,x,swp2, spine01`, slice(e.At.Start.Byte, e.At.End.Byte))
}

func TestCSVMistakes(t *testing.T) {
	checkMistakes(t, "csv", []mistake{
		{
			"leaf01,swp1,spine01,swp1\n", "1:1", "leaf01,swp1,spine01,swp1", "topology-syntax",
			"The header has no column a_device, a_port, b_device or b_port. Name the columns",
		},
		{
			"von,a_port,nach,b_port\nx,p,y,q\n", "1:1", "von,a_port,nach,b_port", "topology-syntax",
			"no column a_device or b_device. Name the columns",
		},
		{
			"a_device,a_port,b_device,b_prt\nx,p,y,q\n", "1:1", "a_device,a_port,b_device,b_prt", "topology-syntax",
			`no column b_port. Is "b_prt" the missing one?`,
		},
		{"x;a;b;a\n", "1:7", "a", "topology-syntax", "The sheet has the column a twice"},
		{"a,a_port,b\n", "1:1", "a", "topology-syntax", "repeat its values"},
		{"a_device,a_port,b_device,b_port\nx,p,y\n", "2:1", "x,p,y", "topology-syntax", "it has 3 fields, and column 4 is b_port"},
		{"a,b\nx:p,y:q,z\n", "2:9", "z", "topology-syntax", "The header has 2 columns"},
		{"a,b\nx:p,\n", "2:1", "x:p,", "topology-endpoint", "b is empty"},
		{"a,b\nx:p,\"\"\n", "2:5", "\"\"", "topology-endpoint", "b is empty"},
		{"a,b\nx:p,y\n", "2:5", "y", "topology-endpoint", "Write device:port"},
		{"a,b\n\":p\",y:q\n", "2:2", ":p", "topology-endpoint", "Write device:port"},
		{"a,b\n\"x:p,y:q\n", "2:1", "\"", "topology-syntax", "ends inside the field"},
		{"a,b\n\"x\":p,y:q\n", "2:4", ":", "topology-syntax", "The field in quotes has ended"},
		{"a,b\n" + strings.Repeat(",", 300) + "\n", "2:257", ",", "topology-too-large", "256 columns"},
	})
}
