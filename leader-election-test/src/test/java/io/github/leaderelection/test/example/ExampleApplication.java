package io.github.leaderelection.test.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application that the example tests.
 */
@SpringBootApplication
class ExampleApplication {

}
