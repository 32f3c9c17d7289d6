package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// writeLines writes the header and one JSON text per line. The output is reproducible.
func writeLines(path string, about header, lines []any) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // stores no time and no name
	check(err)
	encoder := json.NewEncoder(zip)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(about))
	for _, line := range lines {
		check(encoder.Encode(line))
	}
	check(zip.Close())
	check(os.MkdirAll(filepath.Dir(path), 0o755))
	check(os.WriteFile(path, packed.Bytes(), 0o644))
	fmt.Printf("%s: %d bytes\n", path, packed.Len())
}
