// Package failure holds the error of deliveries that need another server or a store.
// Importers of package generator know it as generator.DeliveryError.
package failure
