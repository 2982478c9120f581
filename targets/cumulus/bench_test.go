package cumulus

import "testing"

func BenchmarkEdit(b *testing.B) {
	s := canonicalSample(b, "sn2700", "4.3.0", 2)
	_, doc, _ := documented("4.3.0")
	low := lower(s.sw, doc)
	old := []byte(factoryFile("t4"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := edit(old, doc, low); err != nil {
			b.Fatal(err)
		}
	}
}
