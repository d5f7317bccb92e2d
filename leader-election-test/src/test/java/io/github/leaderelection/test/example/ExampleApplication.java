package io.github.leaderelection.test.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * The application that the example tests.
 */
@EnableScheduling
@SpringBootApplication
class ExampleApplication {

}
