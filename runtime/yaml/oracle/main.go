// Reads rows with YAML texts, one JSON object per line, and writes the rows with the results of kubectl.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	documents "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type row struct {
	Text string `json:"text"`
	// The result of YAMLToJSON, absent if it rejects the text.
	Value json.RawMessage `json:"value,omitempty"`
	// The documents that kubectl -f reads, and whether kubectl rejects the text after them.
	Documents []json.RawMessage `json:"documents"`
	IsRefused bool              `json:"isRefused,omitempty"`
}

func main() {
	decoder := json.NewDecoder(bufio.NewReader(os.Stdin))
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for {
		var given row
		err := decoder.Decode(&given)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(rowOf(given.Text)); err != nil {
			log.Fatal(err)
		}
	}
}

func rowOf(text string) row {
	result := row{Text: text, Documents: []json.RawMessage{}}
	if value, err := yaml.YAMLToJSON([]byte(text)); err == nil {
		result.Value = value
	}
	decoder := documents.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096)
	for {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return result
		}
		if err != nil {
			result.IsRefused = true
			return result
		}
		raw := bytes.TrimSpace(document.Raw)
		if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			result.Documents = append(result.Documents, raw)
		}
	}
}
